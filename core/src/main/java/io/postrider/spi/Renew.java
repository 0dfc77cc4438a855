package io.postrider.spi;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** A node's lease: one row, renewed on the store's clock. */
public interface Renew {

    /**
     * Renews the lease, or takes a first one.
     *
     * @param subscriptions what this node runs, so that lanes are shared among those that run the same
     */
    Renewal renew(String node, Duration lease, Set<String> subscriptions);

    /** Gives the lease up; lanes this node still holds are free at once. */
    void leave(String node);

    /**
     * What a renewal found.
     *
     * @param kept false if there was no lease, or it had run out: others may have taken this node's lanes, and the
     *     store may have forgotten it since
     * @param held the lanes this node holds, with their epochs
     * @param shared each of this node's subscriptions as the store knows it; one that was removed is missing
     * @param asked what operators ask of this node
     */
    record Renewal(boolean kept, List<Held> held, Map<String, Shared> shared, Asked asked) {
        public Renewal {
            held = List.copyOf(held);
            shared = Map.copyOf(shared);
        }
    }

    /**
     * A subscription among nodes.
     *
     * @param nodes how many live nodes run it, this one included
     * @param filter the fingerprint of the filter it has now
     * @param paused nothing of it is to be dispatched
     */
    record Shared(int nodes, String filter, boolean paused) {}

    /**
     * What operators ask of a node.
     *
     * @param draining to hand back its lanes and to take none
     * @param operations there are operations that go on and that nobody holds
     */
    record Asked(boolean draining, boolean operations) {
        public static final Asked NOTHING = new Asked(false, false);
    }

    /** A lane this node holds, and how often an operator has asked something of it. */
    record Held(Ownership ownership, long requests) {}
}
