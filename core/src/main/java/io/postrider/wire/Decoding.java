package io.postrider.wire;

import io.postrider.Event;
import io.postrider.EventId;
import io.postrider.Headers;
import io.postrider.Payload;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * How a message becomes an event: one that {@link Encoding} has made, any CloudEvent in JSON, or JSON of which only its
 * origin is known. Thread-safe.
 */
public final class Decoding {
    private static final Set<String> RESERVED =
            Set.of(Message.ID, Message.TYPE, Message.KEY, Message.TENANT, Message.TIME, Message.CONTENT_TYPE);

    private static final char REPLACEMENT = '\uFFFD';

    /**
     * What a source knows of a message that says nothing of itself.
     *
     * @param id where it lies, the same however often it comes: a stream and a number in it
     * @param at when its source stored it, the same however often it comes; null if the source does not know
     */
    public record Origin(
            String id,
            String type,
            @Nullable String key,
            @Nullable Instant at) {

        public Origin(String id, String type, @Nullable String key) {
            this(id, type, key, null);
        }
    }

    private Decoding() {}

    /**
     * The event of this message. What it does not say is taken from its origin.
     *
     * @throws UndecodableException if no event can be made of it, however often it comes
     */
    public static Incoming decode(Message message, Origin origin) {
        try {
            CloudEvent event = CloudEvent.of(message);
            return event != null ? event.incoming(origin) : plain(message, origin);
        } catch (RuntimeException e) { // a decoder's own fault also fails again with the same bytes
            throw new UndecodableException(message, origin, e);
        }
    }

    private static Incoming plain(Message message, Origin origin) {
        Map<String, String> own = new LinkedHashMap<>(message.headers());
        own.keySet().removeAll(RESERVED);
        String type = message.header(Message.TYPE);
        Event event = Event.of(type != null ? type : origin.type(), Payload.json(text(message.body())))
                .headers(new Headers(own));
        String key = message.header(Message.KEY);
        return incoming(
                message.header(Message.ID),
                event,
                key != null ? key : origin.key(),
                message.header(Message.TENANT),
                origin);
    }

    /** With an id of its own, or under that of where it lies. */
    static Incoming incoming(
            @Nullable String id, Event event, @Nullable String key, @Nullable String tenant, Origin origin) {
        Event complete = key == null ? event : event.key(key);
        complete = tenant == null ? complete : complete.tenant(tenant);
        if (id == null) {
            return new Incoming(origin.id(), complete, origin.at());
        }
        EventId uuid = MessageId.uuid(id);
        return new Incoming(id, uuid == null ? complete : complete.id(uuid));
    }

    /** Where nothing had to be replaced nothing was wrong; only otherwise it is worth to look closely. */
    static String text(byte[] body) {
        String text = new String(body, StandardCharsets.UTF_8);
        return text.indexOf(REPLACEMENT) < 0 ? text : strictly(body);
    }

    private static String strictly(byte[] body) {
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
