package io.postrider.operate;

import io.postrider.EventFilter;
import io.postrider.Position;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A decision about many events, carried out in chunks by some node, and by the next one if it ends.
 *
 * @param endedAt null while it goes on
 * @param reasons why it was stopped or failed; and, from its start, what it leaves out
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
        DISCARD;

        /** @throws IllegalArgumentException if this cannot be done to what the target is about */
        public void requireFits(Target target) {
            if (this == DISCARD && target.isSettled()) {
                throw new IllegalArgumentException("only dead and expired events can be discarded, got "
                        + target.states() + " of '" + target.subscription() + "'");
            }
        }
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

    /** Where an event stands in a subscription when an operation takes it. */
    public enum Standing {
        DEAD,
        EXPIRED,
        /** Settled without a dispatch, because the filter of that time did not take it. There is no delivery row. */
        SKIPPED,
        /** Settled after a dispatch. There is no delivery row. */
        DELIVERED;

        /** Whether an event that stands so is in the log alone. */
        public boolean isSettled() {
            return this == SKIPPED || this == DELIVERED;
        }
    }

    /**
     * Which positions, both ends included.
     *
     * @param from null for the beginning of the log
     * @param to null for the end of what the subscription has settled
     */
    public record Range(@Nullable Position from, @Nullable Position to) {
        public static final Range ALL = new Range(null, null);

        public Range {
            if (from != null && to != null && from.compareTo(to) > 0) {
                throw new IllegalArgumentException(
                        "a range of positions begins before it ends, got " + from + " to " + to);
            }
        }

        public boolean contains(Position position) {
            return (from == null || position.compareTo(from) >= 0) && (to == null || position.compareTo(to) <= 0);
        }
    }

    /**
     * Which events: those of a subscription that stand so, match the filter, are in the range, and failed with an error
     * that has this in it.
     *
     * @param states dead, expired, or both; or skipped, delivered, or both
     * @param errorContains only of dead and expired ones
     * @param reprocessedBelow only those that a reprocessor has replayed less often than that; null for all
     */
    public record Target(
            String subscription,
            Set<Standing> states,
            EventFilter filter,
            Range range,
            @Nullable String errorContains,
            @Nullable Integer reprocessedBelow) {
        public Target {
            states = Set.copyOf(states);
            if (states.isEmpty()
                    || states.stream().map(Standing::isSettled).distinct().count() > 1) {
                throw new IllegalArgumentException("an operation is about dead and expired events, or about skipped and"
                        + " delivered ones, got " + states);
            }
            boolean asksForRows = errorContains != null || reprocessedBelow != null;
            if (asksForRows && states.stream().anyMatch(Standing::isSettled)) {
                throw new IllegalArgumentException("skipped and delivered events have neither errors nor a count of"
                        + " replays, got errorContains " + errorContains + ", reprocessedBelow " + reprocessedBelow);
            }
        }

        /** Every dead event of a subscription. */
        public static Target dead(String subscription) {
            return of(subscription, Standing.DEAD);
        }

        /** Every event that a subscription has skipped and that its filter takes by now. */
        public static Target skipped(String subscription) {
            return of(subscription, Standing.SKIPPED);
        }

        /** Every event that was delivered to a subscription; give it a range or a filter. */
        public static Target delivered(String subscription) {
            return of(subscription, Standing.DELIVERED);
        }

        private static Target of(String subscription, Standing standing) {
            return new Target(subscription, Set.of(standing), EventFilter.ALL, Range.ALL, null, null);
        }

        /** Whether it is about events that have no delivery row. */
        public boolean isSettled() {
            return states.stream().anyMatch(Standing::isSettled);
        }

        public Target states(Set<Standing> value) {
            return new Target(subscription, value, filter, range, errorContains, reprocessedBelow);
        }

        public Target filter(EventFilter value) {
            return new Target(subscription, states, value, range, errorContains, reprocessedBelow);
        }

        /** Positions from one to another, both included; null for no bound. */
        public Target positions(@Nullable Position from, @Nullable Position to) {
            return new Target(subscription, states, filter, new Range(from, to), errorContains, reprocessedBelow);
        }

        public Target errorContains(@Nullable String value) {
            return new Target(subscription, states, filter, range, value, reprocessedBelow);
        }

        public Target reprocessedBelow(@Nullable Integer value) {
            return new Target(subscription, states, filter, range, errorContains, value);
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
