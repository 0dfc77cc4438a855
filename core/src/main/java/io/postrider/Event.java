package io.postrider;

import io.postrider.policy.Schedule;
import io.postrider.text.EventText;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * An immutable fact to append: a type, a payload and, usually, the key in whose order it is delivered.
 *
 * <p>Each method with an argument returns a changed copy. Without an id, one is drawn when the event is appended.
 */
public record Event(
        @Nullable EventId id,
        String type,
        @Nullable String key,
        Payload payload,
        Headers headers,
        @Nullable String tenant,
        Schedule schedule) {

    /** The longest type, key or tenant, in characters. */
    public static final int NAME_MAX = 255;

    public Event {
        EventText.requireEvent(type, key, tenant, headers);
    }

    /** Refuses texts that no log takes; what is wrong with them is the message. */
    public static void requireTexts(String type, @Nullable String key, @Nullable String tenant, Headers headers) {
        EventText.requireEvent(type, key, tenant, headers);
    }

    /**
     * Refuses texts that no log has. Copies of events that are in a log are checked so: since their time, more has come
     * to count as blank.
     */
    public static void requireLogged(String type, @Nullable String key, @Nullable String tenant, Headers headers) {
        EventText.requireLogged(type, key, tenant, headers);
    }

    /**
     * An event of this type; the payload is any value Jackson can write, or a {@link Payload}. A {@code String} becomes
     * a JSON string; {@link Payload#json} takes a text that is JSON already. A bean without properties becomes <code>{}
     * </code>.
     */
    public static Event of(String type, Object payload) {
        return new Event(null, type, null, Payload.of(payload), Headers.NONE, null, Schedule.NONE);
    }

    /** Events with the same key are delivered in the order of their positions. */
    public Event key(String key) {
        return new Event(id, type, key, payload, headers, tenant, schedule);
    }

    public Event id(EventId id) {
        return new Event(id, type, key, payload, headers, tenant, schedule);
    }

    public Event tenant(String tenant) {
        return new Event(id, type, key, payload, headers, tenant, schedule);
    }

    public Event headers(Headers headers) {
        return new Event(id, type, key, payload, headers, tenant, schedule);
    }

    public Event header(String name, String value) {
        return headers(headers.with(name, value));
    }

    /** Not before this time. */
    public Event deliverAt(Instant time) {
        return schedule(schedule.deliverAt(time));
    }

    /** Not at or after this time: if no dispatch has begun by then, the event has expired. */
    public Event expiresAt(Instant time) {
        return schedule(schedule.expiresAt(time));
    }

    /** Before others of a lower priority, where a subscription is a queue. */
    public Event priority(int priority) {
        return schedule(schedule.priority(priority));
    }

    private Event schedule(Schedule schedule) {
        return new Event(id, type, key, payload, headers, tenant, schedule);
    }

    public Event correlationId(String correlationId) {
        return header(Headers.CORRELATION_ID, correlationId);
    }

    public Event userId(String userId) {
        return header(Headers.USER_ID, userId);
    }
}
