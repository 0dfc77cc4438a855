package io.postrider.simulation;

import io.postrider.store.Ownership;
import java.util.HashMap;
import java.util.Map;

/** The oracle's books of filters: which one is in force, which one a node has, and what may be settled under them. */
final class FilterBooks {
    private final Scheduler scheduler;
    private final Oracle oracle;
    private final Map<String, String> inForce = new HashMap<>();
    private final Map<String, Long> changedAt = new HashMap<>();
    private final Map<String, String> own = new HashMap<>();

    FilterBooks(Scheduler scheduler, Oracle oracle) {
        this.scheduler = scheduler;
        this.oracle = oracle;
    }

    void registered(String node, String subscription, String filter) {
        own.put(node + " " + subscription, filter);
        changed(subscription, filter);
    }

    void changed(String subscription, String filter) {
        String before = inForce.put(subscription, filter);
        if (before != null && !before.equals(filter)) {
            changedAt.put(subscription, scheduler.nanos());
            oracle.tasks().clear();
        }
    }

    /** A node learns with its next renewal that its lanes were taken away, or has no lease any more. */
    boolean hasJustChanged(String subscription) {
        Long at = changedAt.get(subscription);
        return at != null && scheduler.nanos() - at <= Settings.LIMITS.lease().toNanos();
    }

    void requireInForce(String node, Ownership settled) {
        String now = inForce.get(settled.subscription());
        String then = own.getOrDefault(node + " " + settled.subscription(), "none");
        if (now != null && !now.equals(then)) {
            throw oracle.fail(
                    "8: %s settles %s under the filter '%s', although '%s' is in force", node, settled, then, now);
        }
    }
}
