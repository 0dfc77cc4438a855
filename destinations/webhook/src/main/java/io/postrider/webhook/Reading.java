package io.postrider.webhook;

import io.postrider.Event;
import io.postrider.JacksonCodec;
import io.postrider.wire.Decoding;
import io.postrider.wire.Incoming;
import io.postrider.wire.Message;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * How a verified request becomes an event. The signature covers the id, the timestamp and the body, and no other
 * header: what is read from headers is as trustworthy as the connection. Implementations are safe for use by several
 * threads.
 */
@FunctionalInterface
public interface Reading {

    /**
     * The event of this request.
     *
     * @param id the {@code webhook-id}
     * @param message the body, and the headers under the names that messages have
     * @throws IllegalArgumentException if no event can be made of it, however often it comes
     */
    Incoming read(String id, Message message);

    /** The form that a {@link WebhookDestination} sends unless told otherwise. Everything in it is signed. */
    static Reading envelope() {
        return (id, message) -> {
            Incoming incoming = EnvelopeDocument.read(message.body());
            if (!incoming.id().equals(id)) {
                throw new IllegalArgumentException("the body has another id than the header " + HeaderFields.ID);
            }
            return incoming;
        };
    }

    /**
     * What any sender of Standard Webhooks sends: the payload is the whole body, and the type is its {@code type}, or
     * this one if it has none.
     */
    static Reading standard(String otherwise) {
        JsonMapper json = JsonMapper.builder().build();
        return (id, message) -> Decoding.decode(
                new Message(Map.of(), message.body()),
                new Decoding.Origin(id, type(json, message.body(), otherwise), null));
    }

    private static String type(JsonMapper json, byte[] body, String otherwise) {
        try {
            @Nullable JsonNode type = json.readTree(body).get("type");
            return type != null && type.isString() ? type.stringValue() : otherwise;
        } catch (JacksonException e) {
            throw new IllegalArgumentException("the body is not JSON: " + JacksonCodec.reason(e));
        }
    }

    /**
     * A payload whose type, key and headers are HTTP headers, as {@code Encoding.plain()} and CloudEvents write them.
     * They are not signed: use https.
     */
    static Reading message(String otherwise) {
        return (id, message) -> {
            Map<String, String> headers = new LinkedHashMap<>(message.headers());
            headers.put(Message.ID, id); // the signed one
            Message signed = new Message(headers, message.body());
            return known(id, Decoding.decode(signed, new Decoding.Origin(id, otherwise, null)));
        };
    }

    /**
     * Known by the signed id alone: whoever repeats a request under another one in a header that is not signed gains
     * nothing.
     */
    private static Incoming known(String id, Incoming incoming) {
        Event event = incoming.event();
        return new Incoming(
                id,
                new Event(
                        null,
                        event.type(),
                        event.key(),
                        event.payload(),
                        event.headers(),
                        event.tenant(),
                        event.schedule()));
    }
}
