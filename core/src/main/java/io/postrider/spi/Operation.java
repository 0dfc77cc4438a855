package io.postrider.spi;

import io.postrider.By;
import io.postrider.EventFilter;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A decision about many dead or expired events, carried out in chunks by some node, and by the next one if it ends.
 *
 * @param endedAt null while it goes on
 * @param reasons why it was stopped or failed
 */
public record Operation(
        long id,
        Kind kind,
        Target target,
        Pace pace,
        By by,
        State state,
        Instant startedAt,
        @Nullable Instant endedAt,
        Progress progress,
        List<String> reasons) {
    public Operation {
        reasons = List.copyOf(reasons);
    }

    /** What is left of it; what others have decided about meanwhile is in it until the operation has finished. */
    public long remaining() {
        return state == State.FINISHED ? 0 : Math.max(0, progress.total() - progress.done());
    }

    /** What is done to each event. */
    public enum Kind {
        REPLAY,
        DISCARD
    }

    /** How far it is. */
    public enum State {
        /** The first events are out, and watched. */
        CANARY,
        RUNNING,
        /** Everything it was about has been decided; what was replayed may still wait. */
        FINISHED,
        CANCELLED,
        STOPPED_BY_CANARY,
        FAILED;

        public boolean ended() {
            return this != CANARY && this != RUNNING;
        }
    }

    /**
     * Which events: those of a subscription that are in one of these states, match the filter, and failed with an error
     * that has this in it.
     *
     * @param states dead, expired, or both
     * @param reprocessedBelow only those that a reprocessor has replayed less often than that; null for all
     */
    public record Target(
            String subscription,
            Set<Delivery.Status> states,
            EventFilter filter,
            @Nullable String errorContains,
            @Nullable Integer reprocessedBelow) {
        public Target {
            states = Set.copyOf(states);
            if (states.isEmpty()
                    || !Set.of(Delivery.Status.DEAD, Delivery.Status.EXPIRED).containsAll(states)) {
                throw new IllegalArgumentException("an operation is about dead or expired events, got " + states);
            }
        }

        /** Every dead event of a subscription. */
        public static Target dead(String subscription) {
            return new Target(subscription, Set.of(Delivery.Status.DEAD), EventFilter.ALL, null, null);
        }

        public Target states(Set<Delivery.Status> value) {
            return new Target(subscription, value, filter, errorContains, reprocessedBelow);
        }

        public Target filter(EventFilter value) {
            return new Target(subscription, states, value, errorContains, reprocessedBelow);
        }

        public Target errorContains(@Nullable String value) {
            return new Target(subscription, states, filter, value, reprocessedBelow);
        }

        public Target reprocessedBelow(@Nullable Integer value) {
            return new Target(subscription, states, filter, errorContains, value);
        }
    }

    /**
     * How fast, and how carefully.
     *
     * @param perSecond events per second; 0 for as many as it can
     * @param canary so many events are replayed first, and watched until each has been delivered or has failed again
     * @param canaryFailures how many of those may fail again; with one more the operation is stopped
     */
    public record Pace(int perSecond, int canary, int canaryFailures) {
        public static final Pace UNLIMITED = new Pace(0, 0, 0);

        public Pace {
            if (perSecond < 0 || canary < 0 || canaryFailures < 0) {
                throw new IllegalArgumentException("a pace has no negative number, got " + perSecond + "/s, canary "
                        + canary + ", failures " + canaryFailures);
            }
        }

        public Pace perSecond(int value) {
            return new Pace(value, canary, canaryFailures);
        }

        /** So many first, of which at most {@code failures} may fail again. */
        public Pace canary(int events, int failures) {
            return new Pace(perSecond, events, failures);
        }
    }

    /**
     * How many events it has come to.
     *
     * @param total how many there were when it started
     * @param done decided about
     * @param waiting of those, how many still wait or run
     * @param failedAgain of those, how many are dead or expired again
     */
    public record Progress(long total, long done, long waiting, long failedAgain) {}
}
