package io.postrider.memory;

import io.postrider.Position;
import io.postrider.StoredEvent;
import io.postrider.memory.LaneRow.DeliveryRow;
import io.postrider.spi.Delivery;
import io.postrider.spi.Settle;
import io.postrider.spi.Settlement;
import java.util.List;

/** Settle: the cursor, the counts and the rows of one batch, or nothing. */
final class MemorySettle implements Settle {
    private final MemoryState state;

    MemorySettle(MemoryState state) {
        this.state = state;
    }

    @Override
    public boolean settle(Settlement settlement) {
        synchronized (state) {
            LaneRow lane = state.held(settlement.ownership());
            if (lane == null) {
                return false;
            }
            List<DeliveryRow> changed = settlement.changed().stream()
                    .map(delivery -> new DeliveryRow(delivery, eventOf(lane, delivery)))
                    .toList();
            for (Position position : settlement.settled()) {
                lane.remove(position);
            }
            changed.forEach(lane::replace);
            lane.cursor = settlement.cursor();
            lane.settlement = settlement.number();
            lane.counts = settlement.counts();
            lane.takeovers = 0;
            return true;
        }
    }

    private StoredEvent eventOf(LaneRow lane, Delivery delivery) {
        DeliveryRow known = lane.deliveries.get(delivery.position().value());
        if (known != null) {
            return known.event();
        }
        LogRow row = state.log.row(delivery.position().value());
        if (row == null) {
            throw new IllegalArgumentException("the log has no event at position " + delivery.position());
        }
        return row.event();
    }
}
