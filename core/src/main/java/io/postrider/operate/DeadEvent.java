package io.postrider.operate;

import io.postrider.StoredEvent;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A dead event that is kept apart from what still waits, and what became of it. One that dies again after a replay is
 * another of these.
 *
 * @param attempts how often it was dispatched
 * @param notes why someone decided as they did; of a discard, who as well
 */
public record DeadEvent(
        String subscription,
        StoredEvent event,
        int attempts,
        @Nullable String error,
        Instant diedAt,
        Status status,
        @Nullable Instant replayedAt,
        @Nullable String replayedBy,
        @Nullable String notes) {

    /** The decision about it, if there is one. */
    public enum Status {
        /** Nothing yet. */
        PENDING,
        REPLAYED,
        DISCARDED
    }

    /** The same, put back by someone. */
    public DeadEvent replayed(Instant now, @Nullable By by) {
        return decided(Status.REPLAYED, now, by == null ? null : by.who(), by == null ? null : by.why());
    }

    /** The same, let go by someone; who that was is in the notes. */
    public DeadEvent discarded(@Nullable By by) {
        return decided(Status.DISCARDED, null, null, by == null ? null : by.who() + ": " + by.why());
    }

    private DeadEvent decided(
            Status status, @Nullable Instant replayedAt, @Nullable String replayedBy, @Nullable String notes) {
        return new DeadEvent(subscription, event, attempts, error, diedAt, status, replayedAt, replayedBy, notes);
    }
}
