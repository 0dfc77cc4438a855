package io.postrider.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.postrider.EventId;
import io.postrider.Headers;
import io.postrider.Lane;
import io.postrider.Position;
import io.postrider.StoredEvent;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class EncodingTest {
    private static final String ID = "01890a5d-ac96-774b-bcce-b302099a8057";

    private static Map<String, String> plain(Map<String, String> own) {
        StoredEvent event = new StoredEvent(
                new Position(1),
                new Lane(0),
                EventId.of(ID),
                "order.placed",
                "k",
                "{}",
                new Headers(own),
                "t",
                Instant.parse("2026-01-02T03:04:05.000006Z"));
        return Encoding.plain().encode(event).headers();
    }

    @Test
    void an_events_own_headers_come_first_and_then_what_it_is() {
        Map<String, String> own = new LinkedHashMap<>();
        own.put("b", "1");
        own.put(Headers.ONLY_FOR, "billing");
        own.put("a", "2");
        assertThat(plain(own).toString())
                .isEqualTo("{b=1, a=2, id=" + ID + ", type=order.placed, key=k, tenant=t,"
                        + " time=2026-01-02T03:04:05.000006Z, content-type=application/json}");
    }

    @Test
    void an_own_header_does_not_travel_under_a_name_that_is_taken() {
        Map<String, String> own = new LinkedHashMap<>();
        own.put("time", "never");
        own.put("tenant", "another");
        own.put("key", "another");
        own.put("id", "another");
        own.put("a", "1");
        assertThat(plain(own).toString())
                .isEqualTo("{time=2026-01-02T03:04:05.000006Z, id=" + ID + ", a=1, type=order.placed, key=k, tenant=t,"
                        + " content-type=application/json}");
    }

    @Test
    void the_headers_of_a_message_are_a_map_that_nobody_changes() {
        Map<String, String> given = new LinkedHashMap<>(Map.of("a", "1"));
        given.put("b", "2");
        Message message = new Message(given, new byte[0]);
        Map<String, String> before = new LinkedHashMap<>(given);
        given.put("c", "3");
        assertThat(message.headers())
                .isEqualTo(before)
                .hasSameHashCodeAs(before)
                .hasSize(2);
        assertThat(message.headers().keySet()).containsExactly("a", "b");
        assertThat(message.header("b")).isEqualTo("2");
        assertThat(message.header("c")).isNull();
        assertThat(message.headers().containsKey("c")).isFalse();
        assertThatThrownBy(() -> message.headers().put("a", "2")).isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> message.headers().remove("a")).isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> message.headers().entrySet().iterator().next().setValue("2"))
                .isInstanceOf(UnsupportedOperationException.class);
    }
}
