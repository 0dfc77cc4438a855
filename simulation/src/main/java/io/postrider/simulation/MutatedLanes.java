package io.postrider.simulation;

import io.postrider.Lane;
import io.postrider.Position;
import io.postrider.memory.MemoryStore;
import io.postrider.operate.Counts;
import io.postrider.store.Claim;
import io.postrider.store.Cursor;
import io.postrider.store.Ownership;
import io.postrider.store.Park;
import io.postrider.store.Settlement;
import io.postrider.store.Subscriptions;
import io.postrider.store.Tasks;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;

/** The store below, and what a mutation needs to know of its lanes. */
final class MutatedLanes {
    private final MemoryStore store;
    private final Map<String, Ownership> latest = new HashMap<>();
    private final Map<String, Claim.ClaimedLane> claimed = new HashMap<>();
    private final Map<String, Settlement> settled = new HashMap<>();
    private final Map<String, Claim.Claimant> owners = new HashMap<>();
    private final Map<String, String> filters = new HashMap<>();
    private final Map<Position, Long> claims = new HashMap<>();

    MutatedLanes(MemoryStore store) {
        this.store = store;
    }

    MemoryStore store() {
        return store;
    }

    void observe(MutatedCall call) {
        if (call.is(Subscriptions.class, "register")) {
            filters.put((String) call.arguments()[0], (String) call.arguments()[2]);
        }
        if (call.answer() instanceof List<?> list) {
            for (Object one : list) {
                if (one instanceof Claim.ClaimedLane lane) {
                    latest.put(lane(lane.ownership()), lane.ownership());
                    claimed.put(lane(lane.ownership()), lane);
                    settled.remove(lane(lane.ownership()));
                    owners.put(lane(lane.ownership()), (Claim.Claimant) call.arguments()[0]);
                }
            }
        }
        if (call.isSettle() && Boolean.TRUE.equals(call.answer())) {
            settled.put(lane(call.settlement().ownership()), call.settlement());
        }
    }

    /** The tasks of the store, without the fence of their claims. */
    Tasks unfenced(Tasks tasks) {
        return new MutatedTasks(tasks, claims);
    }

    /** Under which the lane was claimed last. */
    Ownership latest(Ownership ownership) {
        return latest.getOrDefault(lane(ownership), ownership);
    }

    /** The lane's next settlement, with this much more handled. */
    Settlement ahead(Ownership ownership, Cursor cursor, Counts more) {
        Settlement last = settled.get(lane(ownership));
        Claim.ClaimedLane start = claimed.get(lane(ownership));
        long number = last != null ? last.number() : start == null ? 0 : start.settlement();
        Counts counts = last != null ? last.counts() : start == null ? Counts.NONE : start.counts();
        return new Settlement(ownership, number, cursor, counts.plus(more), List.of(), List.of());
    }

    /** Settles for the last owner of a lane that a changed filter has taken away. */
    boolean settleAllTheSame(Settlement stale, BiFunction<Ownership, Settlement, Settlement> under) {
        Ownership ownership = stale.ownership();
        Claim.Claimant owner = owners.get(lane(ownership));
        String filter = filters.get(ownership.subscription());
        if (owner == null || filter == null || !ownership.equals(latest(ownership))) {
            return false;
        }
        Claim.Claimant again =
                new Claim.Claimant(owner.node(), owner.subscription(), filter, Park.View.of(Park.Wanted.NONE));
        List<Claim.ClaimedLane> lanes = store.claim().claim(again, List.of(), Lane.COUNT_DEFAULT);
        boolean written = lanes.stream()
                .map(Claim.ClaimedLane::ownership)
                .filter(now -> now.lane().equals(ownership.lane()))
                .anyMatch(now -> store.settle().settle(under.apply(now, stale)));
        store.claim().release(lanes.stream().map(Claim.ClaimedLane::ownership).toList());
        return written;
    }

    private static String lane(Ownership ownership) {
        return ownership.subscription() + "/" + ownership.lane();
    }
}
