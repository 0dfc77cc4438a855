package io.postrider;

import io.postrider.text.EventText;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** Names and values that travel beside a payload, in the order they were given. Immutable. */
public record Headers(Map<String, String> values) {

    /** The id shared by everything that one request or operation caused. */
    public static final String CORRELATION_ID = "correlationId";
    /** The id of the event whose handler appended this one. */
    public static final String CAUSATION_ID = "causationId";
    /** The user whose request or operation caused the event. */
    public static final String USER_ID = "userId";
    /** W3C trace context. */
    public static final String TRACEPARENT = "traceparent";
    /** W3C trace context, the vendors' part. */
    public static final String TRACESTATE = "tracestate";

    /** The source from which the event was received. */
    public static final String SOURCE = "source";
    /** The message's id at its source, where the event has another id. */
    public static final String MESSAGE_ID = "messageId";

    /** The id of the original, in a copy that an operator edited. */
    public static final String REPLAY_OF = "replayOf";
    /** The one subscription that takes the event; all others skip it. */
    public static final String ONLY_FOR = "onlyFor";

    /** How many headers an event may have. */
    public static final int COUNT_MAX = 100;
    /** The longest name of a header, in characters. */
    public static final int NAME_MAX = 512;
    /** The longest value of a header, in characters. */
    public static final int VALUE_MAX = 8_192;
    /** The longest user id and correlation id, in characters: events are found by them, and an index takes no more. */
    public static final int ID_MAX = 512;
    /** All names and values of an event together, in UTF-8 bytes. */
    public static final int BYTES_MAX = 64 << 10;

    public static final Headers NONE = new Headers(Map.of());

    public Headers {
        values.keySet().forEach(Headers::requireName);
        values = java.util.Collections.unmodifiableMap(new LinkedHashMap<>(values));
    }

    public Optional<String> get(String name) {
        return Optional.ofNullable(values.get(name));
    }

    /** Names and values together, in UTF-8 bytes. */
    public int bytes() {
        int bytes = 0;
        for (Map.Entry<String, String> header : values.entrySet()) {
            bytes += bytes(header.getKey()) + bytes(header.getValue());
        }
        return bytes;
    }

    /** Counted and not encoded, because every event that is read is counted. */
    private static int bytes(String text) {
        int bytes = 0;
        for (int i = 0; i < text.length(); i++) {
            char next = text.charAt(i);
            bytes += next < 0x80 ? 1 : next < 0x800 || Character.isSurrogate(next) ? 2 : 3;
        }
        return bytes;
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

    /** Whether a header may have this name. A name needs a character other than white space and control characters. */
    public static boolean isName(String name) {
        return !EventText.isBlank(name);
    }

    private static void requireName(String name) {
        if (!isName(name)) {
            throw new IllegalArgumentException("a header needs a name");
        }
    }
}
