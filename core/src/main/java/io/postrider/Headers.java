package io.postrider;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** What travels beside a payload: names and values, in the order they were given. Immutable. */
public record Headers(Map<String, String> values) {

    /** The id shared by everything that one request or operation caused. */
    public static final String CORRELATION_ID = "correlationId";
    /** The id of the event whose handler appended this one. */
    public static final String CAUSATION_ID = "causationId";
    /** Who started it. */
    public static final String USER_ID = "userId";
    /** W3C trace context. */
    public static final String TRACEPARENT = "traceparent";
    /** W3C trace context, the vendors' part. */
    public static final String TRACESTATE = "tracestate";

    /** Where it was received from. */
    public static final String SOURCE = "source";
    /** What the message was known by there, unless that is the event's id. */
    public static final String MESSAGE_ID = "messageId";

    /** The id of the event that this one was made of by an operator. */
    public static final String REPLAY_OF = "replayOf";
    /** The one subscription that takes it; all others skip it. */
    public static final String ONLY_FOR = "onlyFor";

    public static final Headers NONE = new Headers(Map.of());

    public Headers {
        values.keySet().forEach(Headers::requireName);
        values = java.util.Collections.unmodifiableMap(new LinkedHashMap<>(values));
    }

    public Optional<String> get(String name) {
        return Optional.ofNullable(values.get(name));
    }

    /** A copy with this header set; an earlier value is replaced. */
    public Headers with(String name, String value) {
        Map<String, String> copy = new LinkedHashMap<>(values);
        copy.put(name, value);
        return new Headers(copy);
    }

    /** A copy in which this header is not set. */
    public Headers without(String name) {
        Map<String, String> copy = new LinkedHashMap<>(values);
        return copy.remove(name) == null ? this : new Headers(copy);
    }

    /** A copy with this header set, unless it has a value already. */
    public Headers withDefault(String name, String value) {
        return values.containsKey(name) ? this : with(name, value);
    }

    private static void requireName(String name) {
        if (name.isBlank()) {
            throw new IllegalArgumentException("a header needs a name");
        }
    }
}
