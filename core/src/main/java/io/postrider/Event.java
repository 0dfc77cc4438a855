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

    /** Refuses texts that no log takes; the exception's message names the fault. */
    public static void requireTexts(String type, @Nullable String key, @Nullable String tenant, Headers headers) {
        EventText.requireEvent(type, key, tenant, headers);
    }

    /**
     * Refuses texts that no log holds. Copies of logged events are checked by this older, weaker rule, because more
     * characters count as blank today than when those events were appended.
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

    /** The event is dispatched at this time or later, not before. */
    public Event deliverAt(Instant time) {
        return schedule(schedule.deliverAt(time));
    }

    /** The event expires at this time, unless a dispatch has begun before. */
    public Event expiresAt(Instant time) {
        return schedule(schedule.expiresAt(time));
    }

    /** Queues dispatch an event before those of lower priority; other subscriptions ignore priorities. */
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
