package io.postrider.memory;

import io.postrider.Lane;
import io.postrider.Position;
import io.postrider.memory.LaneRow.DeliveryRow;
import io.postrider.operate.Delivery;
import io.postrider.store.Claim;
import io.postrider.store.Cursor;
import io.postrider.store.Ownership;
import io.postrider.store.Page;
import io.postrider.store.StoreException;
import io.postrider.store.snapshot.SnapshotCursor;
import java.util.ArrayList;
import java.util.List;

/** Claim: lanes for nodes, then events and rows for their lanes. */
final class MemoryClaim implements Claim {
    private final MemoryState state;
    private final MemoryPark park;

    MemoryClaim(MemoryState state) {
        this.state = state;
        this.park = new MemoryPark(state);
    }

    // ---- lanes ------------------------------------------------------------------------------------------------------

    @Override
    public List<ClaimedLane> claim(Claimant claimant, List<Lane> held, int most) {
        synchronized (state) {
            SubscriptionRow row = state.subscriptions.get(claimant.subscription());
            if (row == null || !row.filter.equals(claimant.filter()) || !state.isLive(claimant.node())) {
                return List.of();
            }
            return row.lanes.stream()
                    .filter(lane -> isFree(lane, claimant.node(), held))
                    .limit(most)
                    .map(lane -> take(row, lane, claimant))
                    .toList();
        }
    }

    private boolean isFree(LaneRow lane, String node, List<Lane> held) {
        return node.equals(lane.owner) ? !held.contains(lane.lane) : !state.isLive(lane.owner);
    }

    private ClaimedLane take(SubscriptionRow row, LaneRow lane, Claimant claimant) {
        String before = lane.owner;
        if (before != null && !before.equals(claimant.node())) {
            lane.takeovers++;
        }
        lane.owner = claimant.node();
        lane.epoch = state.drawEpoch();
        return new ClaimedLane(
                lane.ownership(state.incarnation()),
                lane.takeovers,
                lane.cursor,
                lane.settlement,
                lane.counts,
                park.window(lane, claimant.view(), true),
                before,
                row.formAt == null ? null : row.formAt.plus(ClaimedLane.RECORDED_BEYOND));
    }

    @Override
    public int release(List<Ownership> ownerships) {
        synchronized (state) {
            int released = 0;
            for (Ownership ownership : ownerships) {
                LaneRow lane = state.held(ownership);
                if (lane != null) {
                    lane.handBack();
                    released++;
                }
            }
            return released;
        }
    }

    // ---- events -----------------------------------------------------------------------------------------------------

    @Override
    public Page read(Ownership ownership, Cursor cursor, int maxEvents, long maxBytes) {
        synchronized (state) {
            if (!ownership.incarnation().equals(state.incarnation())) {
                throw new StoreException(ownership + " was claimed in another incarnation: " + ownership.incarnation());
            }
            return new MemoryRead(state, ownership.lane(), SnapshotCursor.of(cursor)).page(maxEvents, maxBytes);
        }
    }

    // ---- delivery rows ----------------------------------------------------------------------------------------------

    @Override
    public List<ClaimedDelivery> claim(Ownership ownership, List<Position> positions) {
        synchronized (state) {
            LaneRow lane = state.held(ownership);
            List<ClaimedDelivery> claimed = new ArrayList<>();
            if (lane != null) {
                for (Position position : positions) {
                    DeliveryRow row = lane.deliveries.get(position.value());
                    if (row != null && row.delivery().waits()) {
                        claimed.add(claim(lane, row));
                    }
                }
            }
            return claimed;
        }
    }

    private ClaimedDelivery claim(LaneRow lane, DeliveryRow row) {
        Delivery running = row.delivery().running(row.delivery().attempt() + 1);
        lane.replace(new DeliveryRow(running, row.event()));
        return new ClaimedDelivery(
                running, row.event(), state.defects.get(row.event().id()), ClaimedDelivery.BY_LANE);
    }
}
