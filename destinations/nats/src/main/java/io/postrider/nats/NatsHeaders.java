package io.postrider.nats;

import io.nats.client.impl.Headers;
import io.postrider.wire.Message;
import io.postrider.wire.Percent;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The headers of a message as NATS carries them, and back. */
final class NatsHeaders {
    static final String MESSAGE_ID = "Nats-Msg-Id";
    private static final String SERVERS_OWN = "Nats-";
    private static final String CLOUD_EVENTS = "ce-";
    private static final String EXPECTED_STREAM = "Nats-Expected-Stream";

    private NatsHeaders() {}

    /** @param stream the one that has to take it, if a route says so */
    static Headers of(Message message, String id, @Nullable String stream) {
        Headers headers = new Headers();
        headers.put(MESSAGE_ID, id);
        if (stream != null) {
            headers.put(EXPECTED_STREAM, stream);
        }
        message.headers()
                .forEach((name, value) -> headers.put(name(name), isEncoded(name) ? value : Percent.encode(value)));
        return headers;
    }

    /** A name that begins like those the server acts upon is encoded, too: an event must not tell it what to do. */
    static String name(String name) {
        String encoded = Percent.encode(name, c -> c > ' ' && c < 0x7F && c != ':');
        return isServersOwn(name)
                ? "%" + Integer.toHexString(name.charAt(0)).toUpperCase(Locale.ROOT) + encoded.substring(1)
                : encoded;
    }

    private static boolean isServersOwn(String name) {
        return name.regionMatches(true, 0, SERVERS_OWN, 0, SERVERS_OWN.length());
    }

    /** Attributes of CloudEvents come encoded as they are to travel. */
    private static boolean isEncoded(String name) {
        return name.startsWith(CLOUD_EVENTS);
    }

    /** What a message says beside its body; what is between its sender and the server stays with them. */
    static Map<String, String> decode(@Nullable Headers headers) {
        Map<String, String> decoded = new LinkedHashMap<>();
        if (headers != null) {
            for (Map.Entry<String, List<String>> header : headers.entrySet()) {
                String name = header.getKey();
                List<String> values = header.getValue();
                String value = values.size() == 1 ? values.get(0) : String.join(",", values);
                if (!isServersOwn(name)) {
                    decoded.put(Percent.decode(name), isEncoded(name) ? value : Percent.decode(value));
                }
            }
        }
        return decoded;
    }
}
