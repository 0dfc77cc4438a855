package io.postrider.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.EventId;
import io.postrider.Headers;
import io.postrider.Lane;
import io.postrider.Position;
import io.postrider.StoredEvent;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class EnvelopeTest {
    private static final EventId ID = EventId.of("0199c3d4-0000-7000-8000-000000000001");

    @Test
    void an_event_is_one_document_with_its_id_inside() {
        String json = new Envelope(event("ann", "{\"text\": \"hello\"}", new Headers(Map.of("userId", "bob")))).json();
        assertThat(json)
                .isEqualTo("{\"id\":\"0199c3d4-0000-7000-8000-000000000001\",\"type\":\"letter.sent\",\"key\":\"ann\","
                        + "\"time\":\"2026-11-15T12:00:00Z\",\"headers\":{\"userId\":\"bob\"},"
                        + "\"payload\":{\"text\": \"hello\"}}");
    }

    @Test
    void what_an_event_does_not_have_is_left_out() {
        JsonNode json = read(new Envelope(event(null, "[1, 2]", Headers.NONE)));
        assertThat(json.propertyNames()).containsExactly("id", "type", "time", "payload");
        assertThat(json.get("payload").isArray()).isTrue();
    }

    @Test
    void names_and_values_are_escaped() {
        Headers headers = new Headers(Map.of("a \"header\"", "line\nline"));
        JsonNode json = read(new Envelope(event("k\"ey\u0001", "null", headers)));
        assertThat(json.get("key").asString()).isEqualTo("k\"ey\u0001");
        assertThat(json.get("headers").get("a \"header\"").asString()).isEqualTo("line\nline");
        assertThat(json.get("payload").isNull()).isTrue();
    }

    private static JsonNode read(Envelope envelope) {
        return JsonMapper.builder().build().readTree(envelope.json());
    }

    private static StoredEvent event(@Nullable String key, String payload, Headers headers) {
        return new StoredEvent(
                new Position(1),
                Lane.of(key, ID, Lane.COUNT_DEFAULT),
                ID,
                "letter.sent",
                key,
                payload,
                headers,
                null,
                Instant.parse("2026-11-15T12:00:00Z"));
    }
}
