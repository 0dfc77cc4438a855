package io.postrider.memory;

import io.postrider.Counts;
import io.postrider.Position;
import io.postrider.memory.LaneRow.DeliveryRow;
import io.postrider.spi.Delivery;
import io.postrider.spi.Operate;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** Replay and discard: the row and the tally change here, the lane's owner learns of it. */
final class MemoryOperate implements Operate {
    private final MemoryState state;
    private final MemoryDeadEvents deadEvents;

    MemoryOperate(MemoryState state) {
        this.state = state;
        this.deadEvents = new MemoryDeadEvents(state);
    }

    @Override
    public boolean replay(String subscription, Position position) {
        synchronized (state) {
            return decide(subscription, position, (lane, row) -> {
                        lane.replace(new DeliveryRow(row.delivery().replayed(state.now()), row.event()));
                        tally(subscription, Counts.replayed(hasExpired(row)));
                    })
                    || deadEvents.replay(subscription, position, null);
        }
    }

    @Override
    public boolean discard(String subscription, Position position) {
        synchronized (state) {
            return decide(subscription, position, (lane, row) -> {
                        lane.deliveries.remove(position.value());
                        tally(subscription, Counts.discarded(hasExpired(row)));
                    })
                    || deadEvents.discard(subscription, position, null);
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

    private void tally(String subscription, Counts counts) {
        @Nullable SubscriptionRow row = state.subscriptions.get(subscription);
        if (row != null) {
            row.tally = row.tally.plus(counts);
        }
    }
}
