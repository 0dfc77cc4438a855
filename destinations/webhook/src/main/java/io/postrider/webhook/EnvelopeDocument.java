package io.postrider.webhook;

import io.postrider.Event;
import io.postrider.EventId;
import io.postrider.Headers;
import io.postrider.JacksonCodec;
import io.postrider.Payload;
import io.postrider.StoredEvent;
import io.postrider.wire.Envelope;
import io.postrider.wire.Incoming;
import io.postrider.wire.Message;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.databind.json.JsonMapper;

/** An {@link Envelope} as a message, and back. */
final class EnvelopeDocument {
    private static final JsonMapper JSON = JsonMapper.builder().build();

    private EnvelopeDocument() {}

    static Message write(StoredEvent event) {
        Map<String, String> headers = new LinkedHashMap<>();
        headers.put(Message.CONTENT_TYPE, "application/json");
        // Trace context is for the machinery on the way too, which does not look into bodies.
        event.headers().get(Headers.TRACEPARENT).ifPresent(trace -> headers.put(Headers.TRACEPARENT, trace));
        event.headers().get(Headers.TRACESTATE).ifPresent(state -> headers.put(Headers.TRACESTATE, state));
        return new Message(headers, new Envelope(event).json().getBytes(StandardCharsets.UTF_8));
    }

    /**
     * The event in a document.
     *
     * @throws IllegalArgumentException if it is none
     */
    static Incoming read(byte[] body) {
        String text = utf8(body);
        Map<String, String> texts = new LinkedHashMap<>();
        Map<String, String> headers = new LinkedHashMap<>();
        try (JsonParser json = JSON.createParser(text)) {
            require(json.nextToken() == JsonToken.START_OBJECT, "a JSON object");
            while (json.nextToken() == JsonToken.PROPERTY_NAME) {
                property(json, text, texts, headers);
            }
            require(json.nextToken() == null, "one JSON object and nothing after it");
        } catch (JacksonException e) {
            throw new IllegalArgumentException("the body is not JSON: " + JacksonCodec.reason(e));
        }
        return new Incoming(text(texts, "id"), event(texts, headers));
    }

    private static String utf8(byte[] body) {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(body))
                    .toString();
        } catch (CharacterCodingException e) {
            throw new IllegalArgumentException("the body is no UTF-8 text", e);
        }
    }

    private static void property(JsonParser json, String text, Map<String, String> texts, Map<String, String> headers) {
        String name = json.currentName();
        JsonToken value = json.nextToken();
        if (name.equals("payload")) {
            texts.put(name, raw(json, text)); // as it was sent: no number is written differently
        } else if (name.equals("headers") && value == JsonToken.START_OBJECT) {
            while (json.nextToken() == JsonToken.PROPERTY_NAME) {
                String header = json.currentName();
                require(json.nextToken() == JsonToken.VALUE_STRING, "headers that are texts");
                headers.put(header, json.getString());
            }
        } else if (value == JsonToken.VALUE_STRING) {
            texts.put(name, json.getString());
        } else {
            json.skipChildren();
        }
    }

    private static String raw(JsonParser json, String text) {
        int from = (int) json.currentTokenLocation().getCharOffset();
        json.skipChildren();
        json.finishToken();
        return text.substring(from, (int) json.currentLocation().getCharOffset())
                .strip();
    }

    private static Event event(Map<String, String> texts, Map<String, String> headers) {
        Event event = Event.of(text(texts, "type"), Payload.json(text(texts, "payload")))
                .id(EventId.of(text(texts, "id")))
                .headers(new Headers(headers));
        String key = texts.get("key");
        String tenant = texts.get("tenant");
        event = key == null ? event : event.key(key);
        return tenant == null ? event : event.tenant(tenant);
    }

    private static String text(Map<String, String> texts, String name) {
        String text = texts.get(name);
        require(text != null, "'" + name + "'");
        return Objects.requireNonNull(text);
    }

    private static void require(boolean holds, String what) {
        if (!holds) {
            throw new IllegalArgumentException("an envelope has " + what + ", this one has not");
        }
    }
}
