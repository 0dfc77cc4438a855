package io.postrider.store;

import io.postrider.Lane;
import io.postrider.Position;
import io.postrider.operate.Counts;
import io.postrider.operate.Delivery;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The tasks of subscriptions that are queues: delivery rows that any node claims, one by one, with a lease each. The
 * number of the claim is the fence: a renewal or a settle that names another claim than the row has writes nothing. On
 * the store's clock.
 */
public interface Tasks {

    /** The beginning of the error of a task that its node lost. */
    String LOST_BY = "the node that ran it ended, or lost it: ";

    /** Behind that: what the task had failed with before. */
    String BEFORE_THAT = "; before that: ";

    /** The error of a task that a node lost, with the error that the task had before. */
    static String lostBy(String node, @Nullable String before) {
        String earlier = before;
        if (before != null && before.startsWith(LOST_BY)) {
            int at = before.indexOf(BEFORE_THAT);
            earlier = at < 0 ? null : before.substring(at + BEFORE_THAT.length());
        }
        return LOST_BY + node + (earlier == null ? "" : BEFORE_THAT + earlier);
    }

    /**
     * Makes ready what is due and what a lease ran out over: its attempt counts like any other, and from the second
     * time on it is suspect. Tasks whose owner is alive are left to it for a while: its heartbeat may only be late.
     * What has expired before it was claimed becomes an expired row, and is tallied.
     */
    Prepared prepare(String subscription, Preparer by);

    /** The same by a node that holds nothing and has no patience. */
    default Prepared prepare(String subscription) {
        return prepare(subscription, new Preparer("", Set.of(), Duration.ZERO));
    }

    /**
     * Claims tasks that are ready: first those that expire soon, then by priority, then by position. One whose event is
     * gone from the log is answered with that defect.
     */
    List<Claim.ClaimedDelivery> claim(Claimant claimant, int most);

    /** Extends the leases of these tasks; answers those that are still held. */
    Set<HeldTask> renew(String subscription, Set<HeldTask> tasks, Duration lease);

    /** Writes what tasks came to; answers those that were still held, for the others nothing is written. */
    Set<HeldTask> settle(String subscription, List<Ended> tasks);

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
     * Who makes tasks ready.
     *
     * @param node its own tasks that it does not hold are left over, although it is alive: it knows nothing of them
     * @param holding what it runs or is about to settle; none of these is left over, however late its heartbeat is
     * @param patience how long after its lease a task is left to an owner that is alive
     * @param filter the fingerprint of this node's filter; where the subscription has another one by now, nothing is
     *     made ready, because it may be no queue any more; null where there is none to compare
     */
    record Preparer(
            String node,
            Set<HeldTask> holding,
            Duration patience,
            @Nullable String filter) {
        public Preparer(String node, Set<HeldTask> holding, Duration patience) {
            this(node, holding, patience, null);
        }

        public Preparer {
            holding = Collections.unmodifiableSet(new LinkedHashSet<>(holding)); // in an order that can be repeated
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

    /**
     * A task under one claim.
     *
     * @param claim a number that no other claim of this task has or had. The attempt would not do: a task that was put
     *     back before its handler ran is claimed again under the same attempt
     */
    record HeldTask(Lane lane, Position position, long claim) {}

    /**
     * What a claimed task came to.
     *
     * @param change what that does to the counts of the subscription
     * @param left its row from now on, or null if it goes
     */
    record Ended(HeldTask task, Counts change, @Nullable Delivery left) {}

    /**
     * What was made ready.
     *
     * @param readied how many tasks it made ready
     * @param suspects whether there were suspects that are ready
     * @param expired the tasks whose time has passed
     */
    record Prepared(int readied, boolean suspects, List<Delivery> expired) {
        public Prepared {
            expired = List.copyOf(expired);
        }
    }
}
