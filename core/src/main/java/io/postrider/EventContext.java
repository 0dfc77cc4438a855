package io.postrider;

import java.util.Optional;

/**
 * The event that a handler handles, and where it stands in its subscription. Immutable.
 *
 * @param attempt 1 for the first dispatch, more for a retry; an attempt that a crash cut short before the event was
 *     parked is not counted
 */
public record EventContext(StoredEvent event, String subscription, int attempt) {

    public EventId id() {
        return event.id();
    }

    public String type() {
        return event.type();
    }

    public Optional<String> key() {
        return Optional.ofNullable(event.key());
    }

    public Headers headers() {
        return event.headers();
    }

    public Optional<String> correlationId() {
        return headers().get(Headers.CORRELATION_ID);
    }

    public Optional<String> causationId() {
        return headers().get(Headers.CAUSATION_ID);
    }

    public Optional<String> userId() {
        return headers().get(Headers.USER_ID);
    }

    public Optional<String> traceparent() {
        return headers().get(Headers.TRACEPARENT);
    }

    /**
     * A copy of {@code effect} that is caused by this event: the copy inherits correlation, user and trace, and names
     * this event as its cause. Appends on the handler's own thread do this by themselves.
     */
    public Event cause(Event effect) {
        Headers inherited = effect.headers()
                .withDefault(Headers.CORRELATION_ID, correlationId().orElse(id().toString()))
                .withDefault(Headers.CAUSATION_ID, id().toString());
        inherited = inherit(inherited, Headers.USER_ID);
        inherited = inherit(inherited, Headers.TRACEPARENT);
        inherited = inherit(inherited, Headers.TRACESTATE);
        return effect.headers(inherited);
    }

    private Headers inherit(Headers headers, String name) {
        return headers()
                .get(name)
                .map(value -> headers.withDefault(name, value))
                .orElse(headers);
    }
}
