package io.postrider.policy;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;

/**
 * When an event is due, when it expires, and its priority.
 *
 * @param deliverAt not before this time; in an ordered subscription the later events of its key wait with it
 * @param expiresAt the event expires at this time, counted and visible, if no dispatch has begun before
 * @param priority a queue takes higher priorities first; ordered subscriptions ignore it
 */
public record Schedule(
        @Nullable Instant deliverAt, @Nullable Instant expiresAt, int priority) {
    /** Due at once, never expiring, of priority 0. */
    public static final Schedule NONE = new Schedule(null, null, 0);

    /** The highest priority; the lowest is its negative. */
    public static final int PRIORITY_MAX = 100;

    /** The earliest time that every store and message format can hold. */
    public static final Instant EARLIEST = Instant.parse("0001-01-01T00:00:00Z");

    public static final Instant LATEST = Instant.parse("9999-12-31T23:59:59.999999Z");

    public Schedule {
        deliverAt = inMicros(deliverAt);
        expiresAt = inMicros(expiresAt);
        if (Math.abs(priority) > PRIORITY_MAX) {
            throw new IllegalArgumentException(
                    "a priority is from -" + PRIORITY_MAX + " to " + PRIORITY_MAX + ", got " + priority);
        }
        if (deliverAt != null && expiresAt != null && !expiresAt.isAfter(deliverAt)) {
            throw new IllegalArgumentException(
                    "an event expires after it may be delivered, got " + deliverAt + " to " + expiresAt);
        }
    }

    /** As precise as a store can keep it: two times that differ by less are the same. */
    private static @Nullable Instant inMicros(@Nullable Instant time) {
        if (time == null) {
            return null;
        }
        if (time.isBefore(EARLIEST) || time.isAfter(LATEST.plusNanos(999))) {
            throw new IllegalArgumentException("an event's times are in the years 1 to 9999, got " + time);
        }
        return time.truncatedTo(ChronoUnit.MICROS);
    }

    public Schedule deliverAt(@Nullable Instant time) {
        return new Schedule(time, expiresAt, priority);
    }

    public Schedule expiresAt(@Nullable Instant time) {
        return new Schedule(deliverAt, time, priority);
    }

    public Schedule priority(int priority) {
        return new Schedule(deliverAt, expiresAt, priority);
    }
}
