package io.postrider.spi;

import io.postrider.Counts;
import io.postrider.Lane;
import io.postrider.Position;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The tasks of subscriptions that are queues: delivery rows that any node claims, one by one, with a lease each. The
 * attempt, counted by the claim, is the fence: whoever names another one has lost the task. On the store's clock.
 */
public interface Tasks {

    /**
     * Makes ready what is due and what a lease ran out over: its attempt counts like any other, and from the second
     * time on it is suspect. What has expired before it was claimed becomes an expired row, and is tallied.
     */
    Swept sweep(String subscription);

    /**
     * Claims tasks that are ready: first those that expire soon, then by priority, then by position. One whose event is
     * gone from the log is answered with that defect.
     */
    List<Claim.ClaimedDelivery> claim(Claimant claimant, int most);

    /** Extends the leases of these tasks; answers those that are still held. */
    Set<Held> renew(String subscription, Set<Held> tasks, Duration lease);

    /** Writes what tasks came to; answers those that were still held, for the others nothing is written. */
    Set<Held> settle(String subscription, List<Ended> tasks);

    /** How many tasks are ready, counted up to {@code most}. */
    int ready(String subscription, int most);

    /**
     * Who claims, for which subscription, for how long, and what.
     *
     * @param filter the fingerprint of this node's filter; where the subscription has another one by now, none are
     *     given. Null: whatever filter it has
     */
    record Claimant(
            String node,
            String subscription,
            Duration lease,
            Duration expiresSoon,
            Types types,
            @Nullable String filter) {
        public Claimant(String node, String subscription, Duration lease, Duration expiresSoon, Types types) {
            this(node, subscription, lease, expiresSoon, types, null);
        }
    }

    /**
     * Tasks of these types only, or of all but these.
     *
     * @param suspects those that a lease ran out over again and again, and no others; they are to run alone
     */
    record Types(boolean only, Set<String> types, boolean suspects) {
        public static final Types ALL = new Types(false, Set.of(), false);
        public static final Types SUSPECTS = new Types(false, Set.of(), true);

        public Types(boolean only, Set<String> types) {
            this(only, types, false);
        }

        public Types {
            types = Set.copyOf(types);
        }
    }

    /** A task under one claim. */
    record Held(Lane lane, Position position, int attempt) {}

    /**
     * What a claimed task came to.
     *
     * @param change what that does to the counts of the subscription
     * @param left its row from now on, or null if it goes
     */
    record Ended(Held task, Counts change, @Nullable Delivery left) {}

    /**
     * What a sweep did.
     *
     * @param readied how many tasks it made ready
     * @param suspects whether there were suspects that are ready
     * @param expired the tasks whose time has passed
     */
    record Swept(int readied, boolean suspects, List<Delivery> expired) {
        public Swept {
            expired = List.copyOf(expired);
        }
    }
}
