package io.postrider.wire;

import io.postrider.StoredEvent;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

/** How an event becomes a message. Thread-safe. */
public interface Encoding {

    Message encode(StoredEvent event);

    /** The payload as it was appended; everything else is in headers. */
    static Encoding plain() {
        return event -> new Message(headers(event), event.payload().getBytes(StandardCharsets.UTF_8));
    }

    private static Map<String, String> headers(StoredEvent event) {
        Map<String, String> headers = new LinkedHashMap<>(event.headers().values());
        headers.put(Message.ID, event.id().toString());
        headers.put(Message.TYPE, event.type());
        headers.remove(Message.KEY);
        headers.remove(Message.TENANT);
        if (event.key() != null) {
            headers.put(Message.KEY, event.key());
        }
        if (event.tenant() != null) {
            headers.put(Message.TENANT, event.tenant());
        }
        headers.put(Message.TIME, event.appendedAt().toString());
        headers.put(Message.CONTENT_TYPE, "application/json");
        return headers;
    }
}
