package io.postrider.redis;

import io.postrider.Headers;
import io.postrider.JacksonCodec;
import io.postrider.StoredEvent;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.databind.json.JsonMapper;

/**
 * The JSON document that travels through a channel, written and read. The payload is copied as text, both ways, so that
 * no number changes its form.
 */
final class BusMessage {
    /** What stands in {@code metadata} always, and first; null if the event has none. */
    private static final List<String> ALWAYS = List.of(Headers.CORRELATION_ID, Headers.CAUSATION_ID, Headers.USER_ID);

    private static final JsonMapper JSON = JsonMapper.builder().build();

    private BusMessage() {}

    static byte[] write(StoredEvent event) {
        StringWriter text = new StringWriter(event.payload().length() + 256);
        try (JsonGenerator json = JSON.createGenerator(text)) {
            json.writeStartObject();
            json.writeStringProperty("eventId", event.id().toString());
            json.writeStringProperty("eventType", event.type());
            json.writeStringProperty("aggregateId", event.key());
            json.writeName("payload");
            json.writeRawValue(event.payload());
            json.writeName("metadata");
            writeMetadata(json, event.headers());
            json.writeEndObject();
        }
        return text.toString().getBytes(StandardCharsets.UTF_8);
    }

    private static void writeMetadata(JsonGenerator json, Headers headers) {
        json.writeStartObject();
        ALWAYS.forEach(name -> json.writeStringProperty(name, headers.get(name).orElse(null)));
        headers.values().forEach((name, value) -> {
            if (!ALWAYS.contains(name)) {
                json.writeStringProperty(name, value);
            }
        });
        json.writeEndObject();
    }

    /**
     * The event of a message. What it has beside the known names is passed over.
     *
     * @throws IllegalArgumentException if it is no such document
     */
    static BusEvent read(byte[] message) {
        String text = new String(message, StandardCharsets.UTF_8);
        Parts parts = new Parts();
        try (JsonParser json = JSON.createParser(text)) {
            if (json.nextToken() != JsonToken.START_OBJECT) {
                throw new IllegalArgumentException("it is no JSON object");
            }
            while (json.nextToken() == JsonToken.PROPERTY_NAME) {
                String name = json.currentName();
                json.nextToken();
                parts.take(name, json, text);
            }
        } catch (JacksonException e) {
            throw new IllegalArgumentException("it is not JSON: " + JacksonCodec.reason(e));
        }
        return parts.event();
    }

    /** The value at the parser, as it is written. */
    private static String valueText(JsonParser json, String text) {
        int from = (int) json.currentTokenLocation().getCharOffset();
        json.skipChildren();
        json.finishToken();
        return text.substring(from, (int) json.currentLocation().getCharOffset())
                .strip();
    }

    /** The parts that have been read so far. */
    private static final class Parts {
        private @Nullable String id;
        private @Nullable String type;
        private @Nullable String key;
        private @Nullable String payload;
        private final Map<String, String> metadata = new LinkedHashMap<>();

        void take(String name, JsonParser json, String text) {
            switch (name) {
                case "eventId" -> id = json.getValueAsString();
                case "eventType" -> type = json.getValueAsString();
                case "aggregateId" -> key = json.getValueAsString();
                case "payload" -> payload = valueText(json, text);
                case "metadata" -> readMetadata(json, text);
                default -> json.skipChildren();
            }
        }

        private void readMetadata(JsonParser json, String text) {
            if (json.currentToken() != JsonToken.START_OBJECT) {
                json.skipChildren();
                return;
            }
            while (json.nextToken() == JsonToken.PROPERTY_NAME) {
                String name = json.currentName();
                JsonToken token = json.nextToken();
                String value = token == JsonToken.VALUE_STRING ? json.getString() : valueText(json, text);
                if (token != JsonToken.VALUE_NULL) {
                    metadata.put(name, value);
                }
            }
        }

        BusEvent event() {
            return new BusEvent(
                    required("eventId", id), required("eventType", type), key, required("payload", payload), metadata);
        }

        private static String required(String name, @Nullable String value) {
            if (value == null) {
                throw new IllegalArgumentException("it has no " + name);
            }
            return value;
        }
    }
}
