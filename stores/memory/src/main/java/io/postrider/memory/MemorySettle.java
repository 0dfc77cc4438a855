package io.postrider.memory;

import io.postrider.Position;
import io.postrider.StoredEvent;
import io.postrider.memory.LaneRow.DeliveryRow;
import io.postrider.operate.Counts;
import io.postrider.operate.Delivery;
import io.postrider.operate.Story;
import io.postrider.store.FilterText;
import io.postrider.store.Settle;
import io.postrider.store.Settlement;
import io.postrider.store.snapshot.SnapshotCursor;
import java.util.List;

/** Settle: the cursor, the counts and the rows of one batch, or nothing. */
final class MemorySettle implements Settle {
    /** Settlements of a lane whose seals are kept. */
    private static final int SEALED_MAX = 10_000;

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
            settlement.changed().forEach(state::requireTakes);
            List<DeliveryRow> changed = settlement.changed().stream()
                    .map(delivery -> new DeliveryRow(delivery.stack(null), eventOf(lane, delivery)))
                    .toList();
            remember(lane, settlement);
            for (Position position : settlement.settled()) {
                lane.remove(position);
            }
            changed.stream().filter(row -> !isFoundTwice(lane, settlement, row)).forEach(lane::replace);
            seal(lane, settlement);
            lane.cursor = SnapshotCursor.of(settlement.cursor());
            lane.settled = new Settled(lane.cursor, state.now(), lane.settled);
            lane.settlement = settlement.number();
            lane.counts = settlement.counts();
            lane.takeovers = 0;
            return true;
        }
    }

    /** A lost event that has a row already: its owner counts it once too often. */
    private boolean isFoundTwice(LaneRow lane, Settlement settlement, DeliveryRow row) {
        boolean twice = !settlement.found().isEmpty()
                && lane.deliveries.containsKey(row.delivery().position().value());
        if (twice) {
            boolean dead = row.delivery().status() == Delivery.Status.DEAD;
            state.tally(lane.subscription, new Counts(1, 0, dead ? 0 : -1, dead ? -1 : 0, 0, 0));
        }
        return twice;
    }

    private void seal(LaneRow lane, Settlement settlement) {
        lane.lost.removeIf(lost -> settlement.found().contains(lost.number()));
        if (!settlement.seals().isEmpty()) {
            lane.seals.put(settlement.number(), new MemorySeals.Sealed(state.now(), settlement.seals()));
            if (lane.seals.size() > SEALED_MAX) {
                lane.seals.pollFirstEntry();
            }
        }
    }

    /** What was tried, of events that have delivery rows. */
    private void remember(LaneRow lane, Settlement settlement) {
        for (Delivery row : settlement.changed()) {
            DeliveryRow known = lane.deliveries.get(row.position().value());
            if (Tried.hasEnded(known == null ? null : known.delivery(), row)) {
                remember(lane, row, Tried.ending(row));
            }
        }
        for (Position position : settlement.settled()) {
            DeliveryRow known = lane.deliveries.get(position.value());
            if (known != null) {
                remember(lane, known.delivery(), ending(lane, known.delivery(), settlement));
            }
        }
        for (Settlement.Declined declined : settlement.declined()) {
            SubscriptionRow row = state.subscriptions.get(lane.subscription);
            if (row != null && !settlement.settled().contains(declined.position())) {
                row.tried(
                        declined.position().value(),
                        new Story.Attempt(declined.attempt(), Story.Ending.SKIPPED, null, lane.owner, state.now()));
            }
        }
    }

    /** The lane is held, so the filter is that of its owner. */
    private Story.Ending ending(LaneRow lane, Delivery gone, Settlement settlement) {
        SubscriptionRow row = state.subscriptions.get(lane.subscription);
        boolean declined =
                settlement.declined().stream().anyMatch(each -> each.position().equals(gone.position()));
        boolean taken = !declined && (row == null || new FilterText(row.filter).takes(gone.type()));
        return taken ? Story.Ending.DELIVERED : Story.Ending.SKIPPED;
    }

    private void remember(LaneRow lane, Delivery tried, Story.Ending ending) {
        SubscriptionRow row = state.subscriptions.get(lane.subscription);
        if (row != null) {
            row.tried(tried.position().value(), Tried.attempt(tried, ending, lane.owner, state.now()));
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
