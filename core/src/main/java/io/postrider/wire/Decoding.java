package io.postrider.wire;

import io.postrider.Event;
import io.postrider.EventId;
import io.postrider.Headers;
import io.postrider.Payload;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** How a message becomes an event. Thread-safe. */
public final class Decoding {
    private static final Set<String> RESERVED =
            Set.of(Message.ID, Message.TYPE, Message.KEY, Message.TENANT, Message.TIME, Message.CONTENT_TYPE);

    /** What a source knows of a message that says nothing of itself: where it lay, and under which number. */
    public record Origin(String id, String type, @Nullable String key) {}

    private Decoding() {}

    /**
     * The event of this message. What it does not say is taken from its origin.
     *
     * @throws IllegalArgumentException if no event can be made of it, however often it comes
     */
    public static Incoming decode(Message message, Origin origin) {
        Map<String, String> own = new LinkedHashMap<>(message.headers());
        own.keySet().removeAll(RESERVED);
        String id = orElse(message.header(Message.ID), origin.id());
        Event event = Event.of(orElse(message.header(Message.TYPE), origin.type()), Payload.json(text(message.body())))
                .headers(new Headers(own));
        String key = message.header(Message.KEY) != null ? message.header(Message.KEY) : origin.key();
        String tenant = message.header(Message.TENANT);
        event = key == null ? event : event.key(key);
        event = tenant == null ? event : event.tenant(tenant);
        return new Incoming(id, event.id(idOf(id)));
    }

    private static EventId idOf(String id) {
        return EventId.of(id); // ids that are no UUIDs follow
    }

    private static String orElse(@Nullable String said, String otherwise) {
        return said != null ? said : otherwise;
    }

    private static String text(byte[] body) {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(body))
                    .toString();
        } catch (CharacterCodingException e) {
            throw new IllegalArgumentException("the message is no UTF-8 text", e);
        }
    }
}
