package io.postrider.operate;

import io.postrider.EventId;
import io.postrider.Position;
import io.postrider.StoredEvent;
import io.postrider.policy.Schedule;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A row for an event that did not settle at once.
 *
 * @param attempt how often it has been dispatched; counted when the row is claimed, so that a crash counts too
 * @param dueAt when it may be claimed again
 * @param suspect parked by the poison rule: it runs alone in its lane
 * @param schedule its event's, without a time to deliver, which is in {@code dueAt}; a replay takes the expiry away
 * @param stack where the attempt failed that has just ended; a store keeps it with that attempt, not with the row
 * @param behind an earlier row of its key comes first: this one is found through its key and not by its time
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
        @Nullable String error,
        Schedule schedule,
        @Nullable String stack,
        boolean behind) {
    /** The longest error kept, in characters. */
    public static final int ERROR_MAX = 4_000;

    /** The longest key of a row that had to be made plain: any index takes it. */
    private static final int KEY_PLAIN_MAX = 200;

    /** What a delivery row waits for. {@code blocked} is derived: an earlier row of the same key exists. */
    public enum Status {
        /** A task of a queue that may be claimed. */
        READY,
        /** It waits until it is due. */
        WAITING,
        RUNNING,
        /** No attempt is left, or none can help: an operator decides. */
        DEAD,
        /** Its time passed before a dispatch began: an operator decides. */
        EXPIRED
    }

    public Delivery {
        if (error != null && error.length() > ERROR_MAX) {
            error = error.substring(0, ERROR_MAX);
        }
    }

    /** A row of which no attempt has just failed, and that is behind no other. */
    public Delivery(
            Position position,
            EventId id,
            String type,
            @Nullable String key,
            Status status,
            int attempt,
            Instant dueAt,
            boolean suspect,
            @Nullable String error,
            Schedule schedule) {
        this(position, id, type, key, status, attempt, dueAt, suspect, error, schedule, null, false);
    }

    /** The same with where its attempt failed. */
    public Delivery stack(@Nullable String stack) {
        return new Delivery(position, id, type, key, status, attempt, dueAt, suspect, error, schedule, stack, behind);
    }

    /**
     * A row for an event that was not dispatched: an earlier one of its key waits, it is suspect, or it is not yet
     * wanted.
     */
    public static Delivery parked(StoredEvent event, Instant now, boolean suspect) {
        Instant wanted = event.schedule().deliverAt();
        return new Delivery(
                event.position(),
                event.id(),
                event.type(),
                event.key(),
                Status.WAITING,
                0,
                wanted != null && wanted.isAfter(now) ? wanted : now,
                suspect,
                null,
                event.schedule().deliverAt(null));
    }

    /** A row for an event that is a task of a queue. */
    public static Delivery task(StoredEvent event, Instant now) {
        Delivery row = parked(event, now, false);
        return row.dueAt().isAfter(now) ? row : row.with(Status.READY, 0, now, false, null);
    }

    /** The row of a dead event that is kept apart: as it was in its lane, but due since it died. */
    public static Delivery of(DeadEvent dead) {
        StoredEvent event = dead.event();
        return new Delivery(
                event.position(),
                event.id(),
                event.type(),
                event.key(),
                Status.DEAD,
                dead.attempts(),
                dead.diedAt(),
                false,
                dead.error(),
                event.schedule().deliverAt(null));
    }

    /** Whether someone, sooner or later, will dispatch it again without being asked. */
    public boolean waits() {
        return status == Status.READY || status == Status.WAITING || status == Status.RUNNING;
    }

    /** Whether an attempt of it has failed. */
    public boolean wasTried() {
        return attempt > 0 || error != null;
    }

    /** What must stay in order: the key, or the event alone where it has none. */
    public Object orderKey() {
        return key != null ? key : id;
    }

    /** The same, from now on alone in its lane when it runs. */
    public Delivery suspected() {
        return with(status, attempt, dueAt, true, error).behind(behind);
    }

    /** The same, found through its key from now on. */
    public Delivery behind(boolean behind) {
        return new Delivery(position, id, type, key, status, attempt, dueAt, suspect, error, schedule, stack, behind);
    }

    /** The same, no longer suspect: its process has outlived it. */
    public Delivery cleared() {
        return suspect ? with(status, attempt, dueAt, false, error) : this;
    }

    /** May be claimed from now on. */
    public Delivery ready(@Nullable String error) {
        return with(Status.READY, attempt, dueAt, false, error);
    }

    public Delivery running(int attempt) {
        return with(Status.RUNNING, attempt, dueAt, suspect, error);
    }

    public Delivery waiting(int attempt, Instant dueAt, @Nullable String error) {
        return with(Status.WAITING, attempt, dueAt, suspect, error);
    }

    public Delivery dead(int attempt, String error) {
        return with(Status.DEAD, attempt, dueAt, suspect, error);
    }

    public Delivery expired(int attempt) {
        return with(Status.EXPIRED, attempt, dueAt, suspect, error);
    }

    /** Waits again from its first attempt, and does not expire any more. */
    public Delivery replayed(Instant now) {
        return new Delivery(position, id, type, key, Status.WAITING, 0, now, false, error, schedule.expiresAt(null));
    }

    /** The same with another error. */
    public Delivery error(@Nullable String error) {
        return with(status, attempt, dueAt, suspect, error).behind(behind);
    }

    /**
     * The row of an event whose own row a store refuses: dead, and with nothing that may be refused. One that runs goes
     * on running.
     */
    public Delivery buriedPlainly(String error) {
        return new Delivery(
                position,
                id,
                type,
                key == null ? null : plain(key, KEY_PLAIN_MAX),
                waits() && status != Status.RUNNING ? Status.DEAD : status,
                attempt,
                dueAt,
                suspect,
                plain(error, ERROR_MAX),
                Schedule.NONE);
    }

    private static String plain(String text, int most) {
        return text.substring(0, Math.min(text.length(), most)).replaceAll("[^ -~]", "?");
    }

    private Delivery with(Status status, int attempt, Instant dueAt, boolean suspect, @Nullable String error) {
        return new Delivery(position, id, type, key, status, attempt, dueAt, suspect, error, schedule);
    }
}
