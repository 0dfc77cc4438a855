package io.postrider.memory;

import io.postrider.Counts;
import io.postrider.Position;
import io.postrider.memory.LaneRow.DeliveryRow;
import io.postrider.spi.Delivery;
import io.postrider.spi.Operate;
import io.postrider.spi.Story;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** Replay and discard: the row and the tally change here, the lane's owner learns of it. */
final class MemoryOperate implements Operate {
    private final MemoryState state;

    MemoryOperate(MemoryState state) {
        this.state = state;
    }

    @Override
    public boolean replay(String subscription, Position position) {
        synchronized (state) {
            return decide(subscription, position, (lane, row) -> {
                lane.replace(new DeliveryRow(row.delivery().replayed(state.now()), row.event()));
                tally(subscription, position, Counts.replayed(hasExpired(row)), Story.Ending.REPLAYED);
            });
        }
    }

    @Override
    public boolean discard(String subscription, Position position) {
        synchronized (state) {
            return decide(subscription, position, (lane, row) -> {
                lane.deliveries.remove(position.value());
                tally(subscription, position, Counts.discarded(hasExpired(row)), Story.Ending.DISCARDED);
            });
        }
    }

    private boolean decide(String subscription, Position position, BiConsumer<LaneRow, DeliveryRow> decision) {
        for (LaneRow lane : state.lanesOfSubscription(subscription)) {
            DeliveryRow row = lane.deliveries.get(position.value());
            if (row != null && !row.delivery().waits()) {
                decision.accept(lane, row);
                lane.requests++;
                return true;
            }
        }
        return false;
    }

    private static boolean hasExpired(DeliveryRow row) {
        return row.delivery().status() == Delivery.Status.EXPIRED;
    }

    private void tally(String subscription, Position position, Counts counts, Story.Ending decision) {
        @Nullable SubscriptionRow row = state.subscriptions.get(subscription);
        if (row != null) {
            row.tally = row.tally.plus(counts);
            row.tried(position.value(), new Story.Attempt(0, decision, null, null, state.now()));
        }
    }
}
