package io.postrider.nats;

import io.nats.client.impl.Headers;
import io.postrider.wire.Message;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The headers of a message as NATS carries them, and back. */
final class NatsHeaders {
    static final String MESSAGE_ID = "Nats-Msg-Id";
    private static final String EXPECTED_STREAM = "Nats-Expected-Stream";

    private NatsHeaders() {}

    /** @param stream the one that has to take it, if a route says so */
    static Headers of(Message message, String id, @Nullable String stream) {
        Headers headers = new Headers();
        headers.put(MESSAGE_ID, id);
        if (stream != null) {
            headers.put(EXPECTED_STREAM, stream);
        }
        for (Map.Entry<String, String> header : message.headers().entrySet()) {
            headers.put(Percent.encodeName(header.getKey()), Percent.encode(header.getValue()));
        }
        return headers;
    }

    /** What a message says beside its body; what is between its sender and the server stays with them. */
    static Map<String, String> decode(@Nullable Headers headers) {
        Map<String, String> decoded = new LinkedHashMap<>();
        if (headers != null) {
            for (Map.Entry<String, List<String>> header : headers.entrySet()) {
                if (!Percent.isServersOwn(header.getKey())) {
                    decoded.put(Percent.decode(header.getKey()), Percent.decode(String.join(",", header.getValue())));
                }
            }
        }
        return decoded;
    }
}
