package io.postrider.policy;

import io.postrider.StoredEvent;
import java.time.Duration;
import java.time.Instant;

/**
 * How long a subscription keeps dead and expired events, and where. All subscriptions share the log, which keeps its
 * events for {@link NodeLimits#retain}. Immutable.
 *
 * @param dead how long a dead event is kept after its death; then it is let go, on record
 * @param expired how long an expired event is kept after its expiry; then it is let go, on record
 * @param unprocessed the age, counted from the append or from {@code deliverAt}, at which an event that was never
 *     processed expires
 * @param deadLetters where dead events are kept
 */
public record Retention(Duration dead, Duration expired, Duration unprocessed, DeadLetters deadLetters) {

    /** For good: a hundred years, longer than any other time. */
    public static final Duration FOR_GOOD = Duration.ofDays(36_500);

    /** Nothing is given up, nothing is let go, nothing is moved. */
    public static final Retention DEFAULT = new Retention(FOR_GOOD, FOR_GOOD, FOR_GOOD, DeadLetters.IN_PLACE);

    public Retention {
        requireTime("dead", dead, Duration.ZERO);
        requireTime("expired", expired, Duration.ZERO);
        requireTime("unprocessed", unprocessed, Duration.ofMillis(1));
    }

    public Retention dead(Duration dead) {
        return new Retention(dead, expired, unprocessed, deadLetters);
    }

    public Retention expired(Duration expired) {
        return new Retention(dead, expired, unprocessed, deadLetters);
    }

    public Retention unprocessed(Duration unprocessed) {
        return new Retention(dead, expired, unprocessed, deadLetters);
    }

    public Retention deadLetters(DeadLetters deadLetters) {
        return new Retention(dead, expired, unprocessed, deadLetters);
    }

    public boolean movesDead() {
        return deadLetters == DeadLetters.MOVED;
    }

    /** Whether dead rows do not stay for good where they are. */
    public boolean touchesDead() {
        return movesDead() || isLimited(dead);
    }

    /** Whether there is anything to sweep. */
    public boolean sweeps() {
        return touchesDead() || isLimited(expired);
    }

    /** Whether this duration is shorter than {@link #FOR_GOOD}. */
    public static boolean isLimited(Duration time) {
        return time.compareTo(FOR_GOOD) < 0;
    }

    /**
     * A copy with the expiry that holds in this subscription: the event's own or that of {@code unprocessed}, the
     * sooner.
     */
    public StoredEvent bounded(StoredEvent event) {
        if (!isLimited(unprocessed)) {
            return event;
        }
        Schedule schedule = event.schedule();
        Instant wanted = schedule.deliverAt();
        Instant since = wanted != null && wanted.isAfter(event.appendedAt()) ? wanted : event.appendedAt();
        Instant tooOld = since.plus(unprocessed);
        Instant expiresAt = schedule.expiresAt();
        return expiresAt != null && !expiresAt.isAfter(tooOld) ? event : event.schedule(schedule.expiresAt(tooOld));
    }

    static void requireTime(String name, Duration time, Duration least) {
        if (time.compareTo(least) < 0 || time.compareTo(FOR_GOOD) > 0) {
            throw new IllegalArgumentException(name + " is " + least + " to " + FOR_GOOD + ", got " + time);
        }
    }
}
