package io.postrider.store;

import io.postrider.Lane;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A node's lease: one row, renewed on the store's clock. */
public interface Renew {

    /**
     * Renews the lease, or takes a first one.
     *
     * @param sharing the subscriptions whose lanes this node shares in
     * @param filters the fingerprints of its filters, by subscription, also of those that it stands by for: so the
     *     store knows which filters live nodes have
     */
    Renewal renew(String node, Duration lease, Set<String> sharing, Map<String, String> filters);

    /** The same for a node that tells nothing of its filters. */
    default Renewal renew(String node, Duration lease, Set<String> sharing) {
        return renew(node, lease, sharing, Map.of());
    }

    /** The subscriptions that a renewal is told about: those the node shares in, and those it stands by for. */
    static Set<String> known(Set<String> sharing, Map<String, String> filters) {
        return Stream.concat(sharing.stream(), filters.keySet().stream()).collect(Collectors.toSet());
    }

    /**
     * Extends a lease that has not run out, and does nothing else: a call for when a renewal is late. False if there is
     * no lease, or it has run out, which the next renewal reports.
     */
    boolean extend(String node, Duration lease);

    /** Gives the lease up; lanes this node still holds are free at once. */
    void leave(String node);

    /**
     * What a renewal found.
     *
     * @param kept false if there was no lease, or it had run out: others may have taken this node's lanes, and the
     *     store may have forgotten it since
     * @param held the lanes this node holds, with their epochs
     * @param shared each of this node's subscriptions as the store knows it, also those that the node stands by for;
     *     one that was removed is missing
     * @param asked what operators ask of this node
     * @param at the store's time, read between the beginning of the call and its answer
     */
    record Renewal(boolean kept, List<HeldLane> held, Map<String, Sharing> shared, Asked asked, Instant at) {
        public Renewal {
            held = List.copyOf(held);
            shared = Map.copyOf(shared);
        }

        /** Whether this node holds the lane under this epoch. */
        public boolean holds(Ownership ownership) {
            return held.stream().anyMatch(each -> each.ownership().equals(ownership));
        }

        /** The lanes of a subscription that this node holds, but for these. */
        public List<Ownership> heldBeside(String subscription, Collection<Lane> lanes) {
            return heldOf(subscription).values().stream()
                    .map(HeldLane::ownership)
                    .filter(ownership -> !lanes.contains(ownership.lane()))
                    .toList();
        }

        /** The lanes that it holds of one subscription. */
        public Map<Lane, HeldLane> heldOf(String subscription) {
            return held.stream()
                    .filter(each -> each.ownership().subscription().equals(subscription))
                    .collect(Collectors.toMap(each -> each.ownership().lane(), each -> each));
        }
    }

    /**
     * A subscription among nodes.
     *
     * @param nodes how many live nodes share its lanes, this one included where it shares; those with another filter do
     *     not
     * @param filter the fingerprint of the filter it has now
     * @param paused nothing of it is to be dispatched
     */
    record Sharing(int nodes, String filter, boolean paused) {}

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
    record HeldLane(Ownership ownership, long requests) {}
}
