package io.postrider.tck.destination;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.Event;
import io.postrider.Headers;
import io.postrider.Payload;
import io.postrider.StoredEvent;
import io.postrider.destination.Outcome;
import io.postrider.policy.NodeLimits;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What arrives is what was appended. */
public abstract class ContentSuite extends DestinationCase {
    private static final String TRACEPARENT = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    /** Two, three and four bytes in UTF-8, a combining mark, and right to left. */
    private static final String UNICODE = "Grüße, 手紙, 📯, e\u0301, שלום";

    @Test
    void an_event_arrives_as_it_was() {
        Headers headers = headers(
                Headers.CORRELATION_ID,
                "order-7",
                Headers.CAUSATION_ID,
                drawId().toString(),
                Headers.TRACEPARENT,
                TRACEPARENT,
                Headers.TRACESTATE,
                "vendor=1,other=2",
                "colour",
                "red");
        assertArrivesAsItWas(stored(Event.of(DestinationSuite.TYPE, Payload.json("{\"to\":\"ann\",\"pages\":3}"))
                .key("ann")
                .headers(headers)));
    }

    @Test
    void an_event_of_another_type_arrives_with_its_type() {
        assertArrivesAsItWas(
                stored(Event.of(DestinationSuite.OTHER_TYPE, Payload.json("{}")).key("ann")));
    }

    @Test
    void an_event_without_a_key_and_headers_arrives_without_them() {
        assertArrivesAsItWas(stored(Event.of(DestinationSuite.TYPE, Payload.json("{}"))));
    }

    @Test
    void unicode_arrives_as_it_was_in_payload_and_key_and_headers() {
        assertArrivesAsItWas(stored(Event.of(DestinationSuite.TYPE, UNICODE)
                .key(UNICODE)
                .header(Headers.CORRELATION_ID, UNICODE)
                .header("note", UNICODE)));
    }

    @Test
    void what_looks_like_an_escape_arrives_as_it_was() {
        String escapes = "50%25 off + \\u0041 =?utf-8?q?=41?= a:b \"c\" 'd' <e> &f;";
        assertArrivesAsItWas(
                stored(Event.of(DestinationSuite.TYPE, escapes).key(escapes).header("note", escapes)));
    }

    @Test
    void every_kind_of_json_arrives_as_it_was() {
        List<StoredEvent> events = new ArrayList<>();
        for (String json : List.of("{}", "[]", "null", "true", "0", "-1", "\"\"", "\"text\"", "[1,[2,{\"a\":null}]]")) {
            events.add(
                    stored(Event.of(DestinationSuite.TYPE, Payload.json(json)).key("json-" + events.size())));
        }
        assertDelivered(dispatch(events));
        assertArrived(events);
        events.forEach(this::assertAsItWas);
    }

    @Test
    void the_largest_payload_arrives_or_is_dead_with_the_limit_named() {
        int bytes = NodeLimits.DEFAULT.payloadBytes();
        StoredEvent large = stored(Event.of(DestinationSuite.TYPE, Payload.json('"' + "x".repeat(bytes - 2) + '"'))
                .key("large"));
        assertArrivesOrIsDead(large, "\\d");
    }

    /** Two headers of one are a way in for whoever may write the one. */
    @Test
    void a_line_break_in_a_header_stays_in_it_or_the_event_is_dead() {
        StoredEvent event =
                stored(Event.of(DestinationSuite.TYPE, "text").key("ann").header("note", "first\r\nforged: second"));
        assertArrivesOrIsDead(event, "note");
    }

    // ---- what came of it --------------------------------------------------------------------------------------------

    private void assertArrivesAsItWas(StoredEvent event) {
        assertDelivered(dispatch(event));
        assertArrived(List.of(event));
        assertAsItWas(event);
    }

    private void assertArrivesOrIsDead(StoredEvent event, String reason) {
        Outcome outcome = dispatch(event).get(0);
        if (outcome.isDead()) {
            assertThat(outcome.why()).containsPattern(reason);
            assertThat(arrived(List.of(event))).isEmpty();
        } else {
            assertDelivered(List.of(outcome));
            assertArrived(List.of(event));
            assertAsItWas(event);
        }
    }

    private void assertAsItWas(StoredEvent event) {
        assertThat(arrived(List.of(event))).isNotEmpty().allSatisfy(arrived -> {
            assertThat(arrived.type()).isEqualTo(event.type());
            assertThat(arrived.key()).isEqualTo(event.key());
            assertThat(arrived.payload()).isEqualTo(event.payload());
            event.headers()
                    .values()
                    .forEach((name, value) -> assertThat(arrived.headers()).containsEntry(name, value));
            assertThat(arrived.headers()).doesNotContainKey("forged");
        });
    }
}
