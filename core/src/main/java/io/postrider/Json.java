package io.postrider;

import io.postrider.text.EventText;
import io.postrider.text.JsonText;
import java.nio.charset.StandardCharsets;

/** Payloads to JSON text that a log takes, and back, by a {@link Codec}. Thread-safe. */
public final class Json {
    private final Codec codec;
    /** Whether the codec is known to write JSON: what any other writes is checked, as a store may refuse it. */
    private final boolean writesJson;

    public Json(Codec codec) {
        this.codec = codec;
        this.writesJson = codec instanceof JacksonCodec;
    }

    /** The payload as JSON text of at most {@code limit} UTF-8 bytes. */
    public String encode(String type, Payload payload, int limit) {
        String text =
                payload instanceof Payload.Json json ? json.text() : write(type, ((Payload.Value) payload).value());
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        if (bytes.length > limit) {
            throw new IllegalArgumentException(
                    "the payload of '" + type + "' has " + bytes.length + " bytes, the limit payloadBytes is " + limit);
        }
        if (EventText.hasHalfPair(text)) {
            throw new IllegalArgumentException("the payload of '" + type + "' has half of a surrogate pair");
        }
        if (payload instanceof Payload.Json || !writesJson) {
            requireValid(type, bytes);
        }
        return text;
    }

    /**
     * The value of a payload.
     *
     * @throws UnreadableException if the payload does not fit the class; the message names class and field
     */
    public <P> P decode(String payload, Class<P> type) {
        return codec.decode(payload, type);
    }

    private String write(String type, Object value) {
        try {
            return codec.encode(value);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    "the payload of '" + type + "' cannot be written as JSON: " + e.getMessage(), e);
        }
    }

    private static void requireValid(String type, byte[] text) {
        try {
            JsonText.requireValid(text);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("the payload of '" + type + "' is not JSON: " + e.getMessage(), e);
        }
    }
}
