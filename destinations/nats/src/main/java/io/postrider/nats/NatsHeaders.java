package io.postrider.nats;

import io.nats.client.impl.Headers;
import io.postrider.wire.Percent;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/** The headers of a message as NATS carries them, and back. */
final class NatsHeaders {
    static final String MESSAGE_ID = "Nats-Msg-Id";
    private static final String SERVERS_OWN = "Nats-";
    private static final String CLOUD_EVENTS = "ce-";
    static final String EXPECTED_STREAM = "Nats-Expected-Stream";
    private static final IntPredicate PLAIN_IN_NAMES = c -> c > ' ' && c < 0x7F && c != ':';

    private NatsHeaders() {}

    /** A name that begins like those the server acts upon is encoded, too: an event must not tell it what to do. */
    static String name(String name) {
        String encoded = Percent.encode(name, PLAIN_IN_NAMES);
        return isServersOwn(name)
                ? "%" + Integer.toHexString(name.charAt(0)).toUpperCase(Locale.ROOT) + encoded.substring(1)
                : encoded;
    }

    /** Attributes of CloudEvents come encoded as they are to travel. */
    static String value(String name, String value) {
        if (!isEncoded(name)) {
            return Percent.encode(value);
        }
        if (!value.chars().allMatch(c -> c < 0x80 && c != '\r' && c != '\n')) {
            throw new IllegalArgumentException("the header '" + name + "' has what a header of NATS cannot carry");
        }
        return value;
    }

    private static boolean isServersOwn(String name) {
        return name.regionMatches(true, 0, SERVERS_OWN, 0, SERVERS_OWN.length());
    }

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
