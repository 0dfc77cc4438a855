package io.postrider.redis;

import io.postrider.Headers;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * An event as it came through a channel. Immutable.
 *
 * @param eventId the event's id, the same each time it comes
 * @param eventType its type
 * @param aggregateId its key, if it has one
 * @param payload its content as JSON text, as it was appended
 * @param metadata its headers; one that is null in the message is not there
 */
public record BusEvent(
        String eventId, String eventType, @Nullable String aggregateId, String payload, Map<String, String> metadata) {

    public BusEvent {
        metadata = Collections.unmodifiableMap(new LinkedHashMap<>(metadata));
    }

    public Optional<String> correlationId() {
        return Optional.ofNullable(metadata.get(Headers.CORRELATION_ID));
    }

    public Optional<String> causationId() {
        return Optional.ofNullable(metadata.get(Headers.CAUSATION_ID));
    }

    public Optional<String> userId() {
        return Optional.ofNullable(metadata.get(Headers.USER_ID));
    }

    /** The key, whose events stay in order; the event alone where it has none. */
    String orderKey() {
        return aggregateId != null ? aggregateId : eventId;
    }
}
