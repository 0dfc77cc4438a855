package io.postrider.wire;

import io.postrider.Event;
import io.postrider.StoredEvent;
import java.io.StringWriter;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.json.JsonMapper;

/**
 * An event as one JSON document, as destinations deliver it: the id travels inside, so that whoever receives the event
 * a second time can tell. The names are those of {@link Event}; what an event does not have is left out.
 *
 * <pre>{@code
 * {"id":"0199…","type":"letter.sent","key":"ann","time":"2026-11-15T12:00:00Z","headers":{"userId":"bob"},"payload":…}
 * }</pre>
 */
public record Envelope(StoredEvent event) {
    private static final JsonMapper JSON = JsonMapper.builder().build();

    /** The document; the payload is in it as it was appended. */
    public String json() {
        StringWriter text = new StringWriter(event.payload().length() + 256);
        try (JsonGenerator json = JSON.createGenerator(text)) {
            json.writeStartObject();
            json.writeStringProperty("id", event.id().toString());
            json.writeStringProperty("type", event.type());
            if (event.key() != null) {
                json.writeStringProperty("key", event.key());
            }
            if (event.tenant() != null) {
                json.writeStringProperty("tenant", event.tenant());
            }
            json.writeStringProperty("time", event.appendedAt().toString());
            if (!event.headers().values().isEmpty()) {
                json.writePOJOProperty("headers", event.headers().values());
            }
            json.writeName("payload");
            json.writeRawValue(event.payload());
            json.writeEndObject();
        }
        return text.toString();
    }
}
