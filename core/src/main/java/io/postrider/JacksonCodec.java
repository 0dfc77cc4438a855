package io.postrider;

import io.postrider.text.Printable;
import java.util.Map;
import tools.jackson.core.JacksonException;
import tools.jackson.core.TokenStreamLocation;
import tools.jackson.databind.exc.PropertyBindingException;
import tools.jackson.databind.json.JsonMapper;

/** Payloads by Jackson 3. The only class of the API that needs it. Thread-safe. */
public final class JacksonCodec implements Codec {
    private static final String A_KEY = "{…}";
    private static final int CAUSES_MAX = 10;

    private final JsonMapper mapper;

    private JacksonCodec(JsonMapper mapper) {
        this.mapper = mapper;
    }

    /** By Jackson's own settings, which ignore unknown fields and leave missing ones null. */
    public static JacksonCodec standard() {
        return of(JsonMapper.builder().build());
    }

    /** By this mapper; {@code DeserializationFeature} has stricter settings. */
    public static JacksonCodec of(JsonMapper mapper) {
        return new JacksonCodec(mapper);
    }

    @Override
    public String encode(Object value) {
        try {
            return mapper.writeValueAsString(value);
        } catch (JacksonException e) {
            throw new IllegalArgumentException(e.getOriginalMessage(), e);
        }
    }

    @Override
    public <P> P decode(String json, Class<P> type) {
        try {
            return mapper.readValue(json, type);
        } catch (JacksonException e) {
            throw new UnreadableException(
                    "the payload cannot be read as " + type.getName() + field(e) + ": " + reason(e) + cause(e));
        }
    }

    /**
     * What JSON fails with, and where. Jackson's own message is left out: it quotes the text that it stumbled over, and
     * reasons go to logs.
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
}
