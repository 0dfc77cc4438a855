package io.postrider.memory;

import io.postrider.Position;
import io.postrider.memory.LaneRow.DeliveryRow;
import io.postrider.spi.Delivery;
import io.postrider.spi.Operate;
import java.util.function.UnaryOperator;

/** Replay and discard: the row changes here, the lane's owner does the rest. */
final class MemoryOperate implements Operate {
    private final MemoryState state;

    MemoryOperate(MemoryState state) {
        this.state = state;
    }

    @Override
    public boolean replay(String subscription, Position position) {
        return decide(subscription, position, row -> with(row, Delivery.Status.RETRYING, 0));
    }

    @Override
    public boolean discard(String subscription, Position position) {
        return decide(subscription, position, row -> with(row, Delivery.Status.DISCARDED, row.attempt()));
    }

    private boolean decide(String subscription, Position position, UnaryOperator<Delivery> decision) {
        synchronized (state) {
            SubscriptionRow row = state.subscriptions.get(subscription);
            if (row == null) {
                return false;
            }
            for (LaneRow lane : row.lanes) {
                DeliveryRow known = lane.deliveries.get(position.value());
                if (known != null && known.delivery().status() == Delivery.Status.DEAD) {
                    lane.replace(new DeliveryRow(decision.apply(known.delivery()), known.event()));
                    lane.requests++;
                    return true;
                }
            }
            return false;
        }
    }

    private Delivery with(Delivery row, Delivery.Status status, int attempt) {
        return new Delivery(
                row.position(),
                row.id(),
                row.type(),
                row.key(),
                status,
                attempt,
                state.now(),
                row.suspect(),
                row.error());
    }
}
