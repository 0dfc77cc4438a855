package io.postrider.simulation;

import io.postrider.store.Ownership;
import java.util.HashMap;
import java.util.Map;

/** The oracle's books of claims: nobody settles under an epoch that has been followed by another. */
final class EpochBooks {
    private final Oracle oracle;
    private final Map<String, Long> latest = new HashMap<>();

    EpochBooks(Oracle oracle) {
        this.oracle = oracle;
    }

    void claimed(Ownership ownership) {
        latest.merge(lane(ownership), ownership.epoch(), Math::max);
    }

    void settled(String node, Ownership ownership) {
        oracle.filters().requireInForce(node, ownership);
        long epoch = latest.getOrDefault(lane(ownership), 0L);
        if (ownership.epoch() < epoch) {
            throw oracle.fail("3: %s settles, although the lane has epoch %d by now", ownership, epoch);
        }
    }

    /** Epochs of an incarnation that is over may be handed out again. */
    void storeCrashed() {
        latest.clear();
        oracle.tasks().clear();
    }

    private static String lane(Ownership ownership) {
        return ownership.subscription() + "/" + ownership.lane();
    }
}
