package io.postrider.spi;

import io.postrider.EventId;
import io.postrider.Position;
import io.postrider.StoredEvent;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A row for an event that did not settle at once.
 *
 * @param attempt how often it has been dispatched; counted when the row is claimed, so that a crash counts too
 * @param dueAt when it may be claimed again
 * @param suspect parked by the poison rule: it runs alone in its lane
 */
public record Delivery(
        Position position,
        EventId id,
        String type,
        @Nullable String key,
        Status status,
        int attempt,
        Instant dueAt,
        boolean suspect,
        @Nullable String error) {

    /** The longest error kept, in characters. */
    public static final int ERROR_MAX = 4_000;

    /** What a delivery row waits for. {@code blocked} is derived: an earlier row of the same key exists. */
    public enum Status {
        RETRYING,
        RUNNING,
        DEAD,
        /** Was dead, and an operator let it go: the lane's owner counts it and removes the row. */
        DISCARDED
    }

    public Delivery {
        if (error != null && error.length() > ERROR_MAX) {
            error = error.substring(0, ERROR_MAX);
        }
    }

    /** A row for an event that was not dispatched, because an earlier one of its key waits or because it is suspect. */
    public static Delivery parked(StoredEvent event, Instant dueAt, boolean suspect) {
        return new Delivery(
                event.position(), event.id(), event.type(), event.key(), Status.RETRYING, 0, dueAt, suspect, null);
    }

    /** Whether someone, sooner or later, will dispatch it again without being asked. */
    public boolean waits() {
        return status == Status.RETRYING || status == Status.RUNNING;
    }

    /** What must stay in order: the key, or the event alone where it has none. */
    public Object orderKey() {
        return key != null ? key : id;
    }

    /** The same, no longer suspect: its process has outlived it. */
    public Delivery cleared() {
        return suspect ? new Delivery(position, id, type, key, status, attempt, dueAt, false, error) : this;
    }

    public Delivery running(int attempt) {
        return new Delivery(position, id, type, key, Status.RUNNING, attempt, dueAt, suspect, error);
    }

    public Delivery retrying(int attempt, Instant dueAt, String error) {
        return new Delivery(position, id, type, key, Status.RETRYING, attempt, dueAt, suspect, error);
    }

    public Delivery dead(int attempt, String error) {
        return new Delivery(position, id, type, key, Status.DEAD, attempt, dueAt, suspect, error);
    }
}
