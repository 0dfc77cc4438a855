package io.postrider.redis;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.postrider.EventId;
import io.postrider.Headers;
import io.postrider.Lane;
import io.postrider.Position;
import io.postrider.StoredEvent;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class BusMessageTest {
    private static final String ID = "01997f2e-8a00-7000-8000-000000000001";
    private static final String PAYLOAD = "{\"messageId\": \"msg-uuid\", \"chatId\":\"chat-uuid\",  \"price\":1.10}";

    private static StoredEvent event(@Nullable String key, Headers headers) {
        EventId id = EventId.of(ID);
        return new StoredEvent(
                new Position(1),
                Lane.of(key, id, Lane.COUNT_DEFAULT),
                id,
                "MessagePosted",
                key,
                PAYLOAD,
                headers,
                "acme",
                Instant.EPOCH);
    }

    private static String written(StoredEvent event) {
        return new String(BusMessage.write(event), UTF_8);
    }

    @Test
    void the_message_has_the_names_and_the_order_that_were_agreed_on_to_the_byte() {
        Headers headers = Headers.NONE
                .with("colour", "red")
                .with(Headers.USER_ID, "user-uuid")
                .with(Headers.CORRELATION_ID, "req-uuid");
        assertThat(written(event("chat-uuid", headers)))
                .isEqualTo("{\"eventId\":\"" + ID + "\",\"eventType\":\"MessagePosted\","
                        + "\"aggregateId\":\"chat-uuid\",\"payload\":" + PAYLOAD + ","
                        + "\"metadata\":{\"correlationId\":\"req-uuid\",\"causationId\":null,"
                        + "\"userId\":\"user-uuid\",\"colour\":\"red\"}}");
    }

    @Test
    void what_an_event_does_not_have_is_null_and_not_left_out() {
        assertThat(written(event(null, Headers.NONE)))
                .isEqualTo("{\"eventId\":\"" + ID + "\",\"eventType\":\"MessagePosted\",\"aggregateId\":null,"
                        + "\"payload\":" + PAYLOAD + ","
                        + "\"metadata\":{\"correlationId\":null,\"causationId\":null,\"userId\":null}}");
    }

    @Test
    void what_was_written_is_read_again_with_the_payload_as_it_was() {
        Headers headers = Headers.NONE.with(Headers.CAUSATION_ID, "cause").with("note", "\"quoted\"\n📯");
        BusEvent read = BusMessage.read(BusMessage.write(event("chat-uuid", headers)));
        assertThat(read)
                .isEqualTo(new BusEvent(
                        ID,
                        "MessagePosted",
                        "chat-uuid",
                        PAYLOAD,
                        Map.of("causationId", "cause", "note", "\"quoted\"\n📯")));
        assertThat(read.causationId()).contains("cause");
        assertThat(read.correlationId()).isEmpty();
        assertThat(read.userId()).isEmpty();
    }

    @Test
    void a_payload_of_any_kind_is_read_as_it_is_written() {
        for (String payload : List.of("{}", "[1, 2]", "null", "true", "-1.50e3", "\"a \\\" b\"", "[{\"a\":[]}]")) {
            String before = "{\"payload\": " + payload + " , \"eventId\":\"1\",\"eventType\":\"t\"}";
            String last = "{\"eventId\":\"1\",\"eventType\":\"t\",\"payload\":" + payload + "}";
            assertThat(BusMessage.read(before.getBytes(UTF_8)).payload()).isEqualTo(payload);
            assertThat(BusMessage.read(last.getBytes(UTF_8)).payload()).isEqualTo(payload);
        }
    }

    @Test
    void what_others_add_is_passed_over_and_their_metadata_is_text() {
        String message = "{\"version\":{\"a\":[1]},\"eventId\":\"1\",\"eventType\":\"t\",\"payload\":1,"
                + "\"metadata\":{\"retries\":3,\"tags\":[\"a\"],\"userId\":null}}";
        assertThat(BusMessage.read(message.getBytes(UTF_8)).metadata())
                .isEqualTo(Map.of("retries", "3", "tags", "[\"a\"]"));
    }

    @Test
    void what_is_no_event_is_refused_with_a_reason() {
        assertThatThrownBy(() -> BusMessage.read("hello".getBytes(UTF_8))).hasMessageContaining("not JSON");
        assertThatThrownBy(() -> BusMessage.read("[1]".getBytes(UTF_8))).hasMessageContaining("no JSON object");
        assertThatThrownBy(() -> BusMessage.read("{\"eventId\":\"1\"".getBytes(UTF_8)))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> BusMessage.read("{\"eventId\":\"1\",\"payload\":1}".getBytes(UTF_8)))
                .hasMessageContaining("no eventType");
    }
}
