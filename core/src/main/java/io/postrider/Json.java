package io.postrider;

import java.nio.charset.StandardCharsets;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.TokenStreamFactory;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.core.util.JsonRecyclerPools;
import tools.jackson.databind.json.JsonMapper;

/** Payloads to JSON text and back. Thread-safe. */
public final class Json {
    /** Looks at tokens only, and shares neither names nor buffers between threads: appends run side by side. */
    private static final JsonFactory TOKENS = JsonFactory.builder()
            .disable(TokenStreamFactory.Feature.CANONICALIZE_PROPERTY_NAMES)
            .recyclerPool(JsonRecyclerPools.threadLocalPool())
            .build();

    private final JsonMapper mapper;

    public Json(JsonMapper mapper) {
        this.mapper = mapper;
    }

    /** The payload as JSON text of at most {@code limit} UTF-8 bytes. */
    String encode(String type, Payload payload, int limit) {
        String text = payload instanceof Payload.Json json
                ? valid(type, json.text())
                : write(type, ((Payload.Value) payload).value());
        int bytes = utf8Length(text);
        if (bytes > limit) {
            throw new IllegalArgumentException(
                    "the payload of '" + type + "' has " + bytes + " bytes, the limit payloadBytes is " + limit);
        }
        return text;
    }

    /** The value of a payload. */
    public <P> P decode(String payload, Class<P> type) {
        return mapper.readValue(payload, type);
    }

    private String write(String type, Object value) {
        try {
            return mapper.writeValueAsString(value);
        } catch (JacksonException e) {
            throw new IllegalArgumentException(
                    "the payload of '" + type + "' cannot be written as JSON: " + e.getOriginalMessage(), e);
        }
    }

    private static String valid(String type, String text) {
        try (JsonParser parser = TOKENS.createParser(ObjectReadContext.empty(), text)) {
            if (parser.nextToken() == null) {
                throw new IllegalArgumentException("the payload of '" + type + "' is empty, not JSON");
            }
            parser.skipChildren();
            if (parser.nextToken() != null) {
                throw new IllegalArgumentException("the payload of '" + type + "' has something after its JSON value");
            }
            return text;
        } catch (JacksonException e) {
            throw new IllegalArgumentException(
                    "the payload of '" + type + "' is not JSON: " + e.getOriginalMessage(), e);
        }
    }

    private static int utf8Length(String text) {
        return text.getBytes(StandardCharsets.UTF_8).length;
    }
}
