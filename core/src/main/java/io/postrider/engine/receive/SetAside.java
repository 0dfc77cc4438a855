package io.postrider.engine.receive;

import io.postrider.Event;
import io.postrider.EventId;
import io.postrider.Headers;
import io.postrider.Inbox;
import io.postrider.Payload;
import io.postrider.text.Failure;
import io.postrider.text.JsonObject;
import io.postrider.wire.Decoding;
import io.postrider.wire.Incoming;
import io.postrider.wire.Message;
import io.postrider.wire.UndecodableException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * A message that cannot be dealt with, as an event that says what it was and why: its bytes in Base64, so that nothing
 * is lost of it, its headers, and the reason.
 *
 * @param incoming to be received in place of the message; under an id of its own, so that the message itself can still
 *     come, repaired
 * @param kept how much of the message is in it
 */
record SetAside(Incoming incoming, Kept kept) {
    /** A longer id is known by its beginning and a hash. */
    private static final int ID_MOST = 1_000;

    private static final int WORDS_MOST = 100;

    /** How much of a message was kept, and how a log line says so. */
    enum Kept {
        WHOLE(""),
        CUT(", cut to what a payload may have"),
        REASON_ALONE(", without its bytes, which its source has not given");

        private final String words;

        Kept(String words) {
            this.words = words;
        }
    }

    boolean whole() {
        return kept == Kept.WHOLE;
    }

    String words() {
        return kept.words;
    }

    /** What is known of it. */
    private record Raw(String id, @Nullable Instant at, Map<String, String> headers, byte[] body) {}

    /** No event could be made of it. */
    static SetAside undecodable(UndecodableException failure, int payloadBytes) {
        Message message = failure.undecoded();
        Decoding.Origin origin = failure.origin();
        Raw raw = new Raw(origin.id(), origin.at(), message.headers(), message.body());
        return of(Inbox.UNDECODABLE, raw, Failure.message(failure), payloadBytes);
    }

    /** Nothing is known of it but the failure. */
    static SetAside unread(EventId id, Throwable failure, int payloadBytes) {
        String whole = JsonObject.of(Map.of("reason", why(failure)));
        String payload =
                length(whole) <= payloadBytes ? whole : JsonObject.of(Map.of("reason", shortened(why(failure))));
        Event event = Event.of(Inbox.UNDECODABLE, Payload.json(payload));
        return new SetAside(new Incoming(Inbox.UNDECODABLE + " " + id, event), Kept.REASON_ALONE);
    }

    static String why(Throwable failure) {
        return failure instanceof IllegalArgumentException ? Failure.message(failure) : Failure.words(failure);
    }

    /** No log takes it, or no handler could deal with it. */
    static SetAside of(String type, Incoming message, String why, int payloadBytes) {
        Event event = message.event();
        Map<String, String> headers = new LinkedHashMap<>(event.headers().values());
        headers.put(Message.TYPE, event.type());
        if (event.key() != null) {
            headers.put(Message.KEY, event.key());
        }
        if (event.tenant() != null) {
            headers.put(Message.TENANT, event.tenant());
        }
        return of(type, new Raw(message.id(), message.at(), headers, bytes(event.payload())), why, payloadBytes);
    }

    /** Loaded only where a source gives values, and not JSON: no source of ours does. */
    private static final class Values {
        private static final JsonMapper JSON = JsonMapper.builder().build();

        static String json(Object value) {
            return JSON.writeValueAsString(value);
        }
    }

    private static byte[] bytes(Payload payload) {
        String text =
                payload instanceof Payload.Json json ? json.text() : Values.json(((Payload.Value) payload).value());
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static SetAside of(String type, Raw raw, String why, int payloadBytes) {
        String payload = json(raw, raw.body(), why);
        boolean whole = length(payload) <= payloadBytes;
        Event event = Event.of(type, Payload.json(whole ? payload : cut(raw, why, payloadBytes)))
                .headers(traced(raw.headers()));
        Incoming incoming = new Incoming(type + " " + known(raw.id()), event, raw.at());
        return new SetAside(incoming, whole ? Kept.WHOLE : Kept.CUT);
    }

    /** The id as a header may have it: a log refuses a long one, and one with a NUL or half of a surrogate pair. */
    private static String known(String id) {
        boolean taken = isTaken(Headers.NONE.with(Headers.MESSAGE_ID, shortened(id)));
        if (taken && id.length() <= ID_MOST) {
            return id;
        }
        UUID hash = UUID.nameUUIDFromBytes(id.getBytes(StandardCharsets.UTF_8));
        return taken ? shortened(id) + " " + hash : hash.toString();
    }

    private static boolean isTaken(Headers headers) {
        try {
            Event.requireTexts(Inbox.UNDECODABLE, null, null, headers);
            return true;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    /** As much of the beginning as there is room for; without headers and long words if those alone are too many. */
    private static String cut(Raw raw, String why, int payloadBytes) {
        Raw kept = raw;
        String reason = why;
        int room = room(kept, reason, payloadBytes);
        if (room < 0) {
            kept = new Raw(raw.id(), raw.at(), Map.of(), raw.body());
            room = room(kept, reason, payloadBytes);
        }
        if (room < 0) {
            kept = new Raw(shortened(raw.id()), raw.at(), Map.of(), raw.body());
            reason = shortened(why);
            room = room(kept, reason, payloadBytes);
        }
        int bytes = Math.min(Math.max(0, room / 4 * 3), raw.body().length);
        return json(kept, Arrays.copyOf(raw.body(), bytes), reason);
    }

    private static int room(Raw raw, String why, int payloadBytes) {
        return payloadBytes - length(json(raw, new byte[0], why));
    }

    private static String shortened(String text) {
        if (text.length() <= WORDS_MOST) {
            return text;
        }
        boolean halves = Character.isHighSurrogate(text.charAt(WORDS_MOST - 1));
        return text.substring(0, halves ? WORDS_MOST - 1 : WORDS_MOST) + "…";
    }

    private static int length(String text) {
        return text.getBytes(StandardCharsets.UTF_8).length;
    }

    private static String json(Raw raw, byte[] body, String why) {
        return new JsonObject()
                .put("reason", why)
                .put("messageId", raw.id())
                .put("headers", raw.headers())
                .put("bytes", raw.body().length)
                .put("body", Base64.getEncoder().encodeToString(body))
                .toString();
    }

    /** What the message belongs to, as far as a log takes it: what is wrong with the message may be just that. */
    private static Headers traced(Map<String, String> headers) {
        Headers traced = Headers.NONE;
        for (String name : new String[] {
            Headers.CORRELATION_ID, Headers.CAUSATION_ID, Headers.USER_ID, Headers.TRACEPARENT, Headers.TRACESTATE
        }) {
            String value = headers.get(name);
            Headers more = value == null ? traced : traced.with(name, value);
            traced = isTaken(more) ? more : traced;
        }
        return traced;
    }
}
