package io.postrider;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * When an event is wanted, and how much.
 *
 * @param deliverAt not before this time; in an ordered subscription the later events of its key wait with it
 * @param expiresAt no dispatch begins at or after this time: the event has expired then, which is counted and shown
 * @param priority higher ones go first in a queue; where order is kept it says nothing
 */
public record Schedule(
        @Nullable Instant deliverAt, @Nullable Instant expiresAt, int priority) {
    /** As soon as possible, for ever, like any other. */
    public static final Schedule NONE = new Schedule(null, null, 0);

    /** The highest priority; the lowest is its negative. */
    public static final int PRIORITY_MAX = 100;

    public Schedule {
        if (Math.abs(priority) > PRIORITY_MAX) {
            throw new IllegalArgumentException(
                    "a priority is from -" + PRIORITY_MAX + " to " + PRIORITY_MAX + ", got " + priority);
        }
        if (deliverAt != null && expiresAt != null && !expiresAt.isAfter(deliverAt)) {
            throw new IllegalArgumentException(
                    "an event expires after it may be delivered, got " + deliverAt + " to " + expiresAt);
        }
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
