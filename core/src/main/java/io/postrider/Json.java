package io.postrider;

import io.postrider.text.EventText;
import io.postrider.text.JsonText;
import io.postrider.text.Printable;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import tools.jackson.core.JacksonException;
import tools.jackson.core.TokenStreamLocation;
import tools.jackson.databind.exc.PropertyBindingException;
import tools.jackson.databind.json.JsonMapper;

/** Payloads to JSON text and back. Thread-safe. */
public final class Json {
    private static final String A_KEY = "{…}";
    private static final int CAUSES_MAX = 10;

    private final JsonMapper mapper;

    public Json(JsonMapper mapper) {
        this.mapper = mapper;
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
        if (payload instanceof Payload.Json) {
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
        try {
            return mapper.readValue(payload, type);
        } catch (JacksonException e) {
            throw new UnreadableException(
                    "the payload cannot be read as " + type.getName() + field(e) + ": " + reason(e) + cause(e));
        }
    }

    /**
     * Describes a JSON failure by kind and place. Jackson's own message is left out: it quotes the payload, and reasons
     * go to logs.
     */
    public static String reason(JacksonException failure) {
        TokenStreamLocation at = failure.getLocation();
        String where =
                at == null || at.getLineNr() < 1 ? "" : " at line " + at.getLineNr() + ", column " + at.getColumnNr();
        return failure.getClass().getSimpleName() + where;
    }

    /**
     * The class of a cause that is not Jackson's, such as one that a constructor throws. Its message is left out too: a
     * parser of times, zones or addresses quotes the text as Jackson does.
     */
    private static String cause(JacksonException failure) {
        Throwable cause = failure.getCause();
        for (int depth = 0; cause instanceof JacksonException && depth < CAUSES_MAX; depth++) {
            cause = cause.getCause();
        }
        return cause == null || cause instanceof JacksonException
                ? ""
                : ", caused by " + cause.getClass().getName();
    }

    private static String field(JacksonException failure) {
        StringBuilder field = new StringBuilder();
        for (JacksonException.Reference reference : failure.getPath()) {
            String name = reference.getPropertyName();
            if (name == null) {
                field.append('[').append(reference.getIndex()).append(']');
            } else {
                boolean hidden = isOfTheMap(reference) || isUnknown(failure, name);
                field.append(field.isEmpty() ? "" : ".").append(hidden ? A_KEY : Printable.name(name));
            }
        }
        return field.isEmpty() ? "" : ", at the field '" + field + "'";
    }

    /** Whether the name is a key of a map: the payload's own, not the class's. */
    private static boolean isOfTheMap(JacksonException.Reference reference) {
        Object from = reference.from();
        return from == null
                || from instanceof Map
                || (from instanceof Class<?> type && Map.class.isAssignableFrom(type));
    }

    /** Whether the class has no such field, so that the name is the payload's. */
    private static boolean isUnknown(JacksonException failure, String name) {
        return failure instanceof PropertyBindingException unknown && name.equals(unknown.getPropertyName());
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
