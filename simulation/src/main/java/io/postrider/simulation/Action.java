package io.postrider.simulation;

import io.postrider.operate.Operation;
import java.time.Duration;
import java.util.List;

/** Something that happens at a time of its own, whatever else does: a plan without it is a plan too. */
sealed interface Action {

    Duration at();

    /** A transaction that appends, stays open for a while and ends. Transactions of one key never overlap. */
    record Append(Duration at, int number, List<Item> items, Duration hold, End end) implements Action {
        public Append {
            items = List.copyOf(items);
        }

        /** How a transaction ends. */
        enum End {
            COMMIT,
            /** Visible at once, and gone if the store crashes before anything else is flushed. */
            COMMIT_UNFLUSHED,
            ROLLBACK
        }
    }

    /**
     * An event to be.
     *
     * @param expiresIn zero if it does not
     */
    record Item(String key, String type, Behaviour behaviour, Flaw flaw, Duration expiresIn) {
        Item(String key, String type, Behaviour behaviour) {
            this(key, type, behaviour, Flaw.NONE, Duration.ZERO);
        }

        Item behaviour(Behaviour other) {
            return new Item(key, type, other, flaw, expiresIn);
        }

        Item flaw(Flaw other) {
            return new Item(key, type, behaviour, other, expiresIn);
        }

        Item expiresIn(Duration other) {
            return new Item(key, type, behaviour, flaw, other);
        }
    }

    /** A process ends at once, in the midst of whatever it does, and another takes its place later. */
    record Crash(Duration at, int node, Duration restart) implements Action {}

    /** A process does not run for a while, and does not know. */
    record Pause(Duration at, int node, Duration length) implements Action {}

    /** A process's wall clock jumps. */
    record ClockJump(Duration at, int node, Duration by) implements Action {}

    /** A process hands back what it has and leaves; another joins later. */
    record Leave(Duration at, int node, Duration rejoin) implements Action {}

    /** A process leaves, or is killed, and those that follow it have another version. */
    record Deploy(Duration at, int node, int version, Duration rejoin, boolean killed) implements Action {}

    /** A process is killed, and no other takes its place. */
    record Abort(Duration at, int node) implements Action {}

    /** Store calls fail now and then: some before they had an effect, some after. */
    record StoreFails(Duration at, Duration length, double chance) implements Action {}

    record StoreClockJump(Duration at, Duration by) implements Action {}

    record StoreSlow(Duration at, Duration length, Duration by) implements Action {}

    /**
     * Store calls throw an {@link Error} now and then, in their process: some before they had an effect, some after.
     */
    record StoreErrs(Duration at, Duration length, double chance) implements Action {}

    /** From now on no event can be made of what the log has of one that waits, if there is one. */
    record Damage(Duration at) implements Action {}

    /** The store loses what it had not flushed, and answers nobody until it is back. */
    record StoreCrash(Duration at, Duration downtime) implements Action {}

    record DestinationDown(Duration at, Duration length) implements Action {}

    /**
     * An operator replays whatever stands so in a subscription.
     *
     * @param which of the plan's subscriptions
     * @param canary so many first, none of which may fail
     * @param cancelled so long after it; zero if it is not
     */
    record Replay(Duration at, int which, Operation.Standing standing, int canary, Duration cancelled)
            implements Action {}

    /** An operator decides about a dead event, if there is one. */
    record Decide(Duration at, boolean replay) implements Action {}
}
