package io.postrider;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Selects events: those that match every given criterion; null criteria match all. Immutable.
 *
 * @param from appended at this time or later
 * @param until appended before this time
 */
public record EventFilter(
        @Nullable String type,
        @Nullable String key,
        @Nullable String tenant,
        @Nullable String userId,
        @Nullable String correlationId,
        @Nullable Instant from,
        @Nullable Instant until) {

    /** Every event. */
    public static final EventFilter ALL = new EventFilter(null, null, null, null, null, null, null);

    public EventFilter {
        if (from != null && until != null && !from.isBefore(until)) {
            throw new IllegalArgumentException("a filter's time begins before it ends, got " + from + " to " + until);
        }
    }

    public EventFilter type(@Nullable String value) {
        return new EventFilter(value, key, tenant, userId, correlationId, from, until);
    }

    public EventFilter key(@Nullable String value) {
        return new EventFilter(type, value, tenant, userId, correlationId, from, until);
    }

    public EventFilter tenant(@Nullable String value) {
        return new EventFilter(type, key, value, userId, correlationId, from, until);
    }

    /** By the header {@link Headers#USER_ID}. */
    public EventFilter userId(@Nullable String value) {
        return new EventFilter(type, key, tenant, value, correlationId, from, until);
    }

    /** By the header {@link Headers#CORRELATION_ID}. */
    public EventFilter correlationId(@Nullable String value) {
        return new EventFilter(type, key, tenant, userId, value, from, until);
    }

    public EventFilter between(@Nullable Instant from, @Nullable Instant until) {
        return new EventFilter(type, key, tenant, userId, correlationId, from, until);
    }

    public boolean matches(StoredEvent event) {
        return matches(type, event.type())
                && matches(key, event.key())
                && matches(tenant, event.tenant())
                && matches(userId, event.headers().get(Headers.USER_ID).orElse(null))
                && matches(
                        correlationId,
                        event.headers().get(Headers.CORRELATION_ID).orElse(null))
                && (from == null || !event.appendedAt().isBefore(from))
                && (until == null || event.appendedAt().isBefore(until));
    }

    private static boolean matches(@Nullable String wanted, @Nullable String actual) {
        return wanted == null || wanted.equals(actual);
    }
}
