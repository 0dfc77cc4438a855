package io.postrider.wire;

import io.postrider.Event;
import io.postrider.StoredEvent;
import io.postrider.text.JsonObject;

/**
 * An event as one JSON document, as destinations deliver it: the id travels inside, so that whoever receives the event
 * a second time can tell. The names are those of {@link Event}; what an event does not have is left out.
 *
 * <pre>{@code
 * {"id":"0199…","type":"letter.sent","key":"ann","time":"2026-11-15T12:00:00Z","headers":{"userId":"bob"},"payload":…}
 * }</pre>
 */
public record Envelope(StoredEvent event) {
    /** The document; the payload is in it as it was appended. */
    public String json() {
        JsonObject json = new JsonObject().put("id", event.id().toString()).put("type", event.type());
        if (event.key() != null) {
            json.put("key", event.key());
        }
        if (event.tenant() != null) {
            json.put("tenant", event.tenant());
        }
        json.put("time", event.appendedAt().toString());
        if (!event.headers().values().isEmpty()) {
            json.put("headers", event.headers().values());
        }
        return json.raw("payload", event.payload()).toString();
    }
}
