package io.postrider;

import java.nio.charset.StandardCharsets;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/** Payloads to JSON text and back. Thread-safe. */
public final class Json {
    private final JsonMapper mapper;

    public Json(JsonMapper mapper) {
        this.mapper = mapper;
    }

    /** The payload as JSON text of at most {@code limit} UTF-8 bytes. */
    String encode(String type, Payload payload, int limit) {
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
        if (payload instanceof Payload.Json) {
            requireValid(type, bytes);
        }
        return text;
    }

    /**
     * The value of a payload.
     *
     * @throws UnreadableException if the payload is no such value; it names the class and the field
     */
    public <P> P decode(String payload, Class<P> type) {
        try {
            return mapper.readValue(payload, type);
        } catch (JacksonException e) {
            throw new UnreadableException(
                    "the payload cannot be read as " + type.getName() + field(e) + ": " + e.getOriginalMessage(), e);
        }
    }

    private static String field(JacksonException failure) {
        StringBuilder field = new StringBuilder();
        for (JacksonException.Reference reference : failure.getPath()) {
            String name = reference.getPropertyName();
            field.append(name == null ? "[" + reference.getIndex() + "]" : (field.isEmpty() ? "" : ".") + name);
        }
        return field.isEmpty() ? "" : ", at the field '" + field + "'";
    }

    private String write(String type, Object value) {
        try {
            return mapper.writeValueAsString(value);
        } catch (JacksonException e) {
            throw new IllegalArgumentException(
                    "the payload of '" + type + "' cannot be written as JSON: " + e.getOriginalMessage(), e);
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
