package io.postrider.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.Event;
import io.postrider.EventId;
import io.postrider.Headers;
import io.postrider.Lane;
import io.postrider.Payload;
import io.postrider.Position;
import io.postrider.StoredEvent;
import java.net.URI;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import tools.jackson.databind.json.JsonMapper;

/** What travels arrives: every event, in every encoding. */
class RoundTripTest {
    private static final URI SOURCE = URI.create("/shop");
    private static final Decoding.Origin ORIGIN = new Decoding.Origin("stream:1", "unknown", "other key");

    @Property(tries = 300)
    void an_event_arrives_as_it_was_sent(@ForAll("events") StoredEvent event) {
        assertArrives(event, Encoding.plain());
    }

    @Property(tries = 300)
    void a_cloud_event_in_one_document_arrives_as_it_was_sent(@ForAll("events") StoredEvent event) {
        assertArrives(event, Encoding.cloudEvents(SOURCE));
    }

    @Property(tries = 300)
    void a_cloud_event_in_percent_encoded_headers_arrives_as_it_was_sent(@ForAll("events") StoredEvent event) {
        assertArrives(event, Encoding.cloudEventsBinary(SOURCE, "ce-"));
    }

    @Property(tries = 300)
    void a_cloud_event_in_raw_headers_arrives_as_it_was_sent(@ForAll("events") StoredEvent event) {
        assertArrives(event, Encoding.cloudEventsBinary(SOURCE, "ce_"));
    }

    @Property(tries = 300)
    void percent_encoded_headers_have_visible_ascii_only(@ForAll("events") StoredEvent event) {
        Message message = Encoding.cloudEventsBinary(SOURCE, "ce-").encode(event);
        assertThat(message.headers().values()).allMatch(value -> value.matches("[!-~]*"));
    }

    private static void assertArrives(StoredEvent sent, Encoding encoding) {
        Incoming incoming = Decoding.decode(encoding.encode(sent), ORIGIN);
        Event event = incoming.event();
        assertThat(incoming.id()).isEqualTo(sent.id().toString());
        assertThat(event.id()).isEqualTo(sent.id());
        assertThat(event.type()).isEqualTo(sent.type());
        assertThat(event.key()).isEqualTo(sent.key() == null ? ORIGIN.key() : sent.key());
        assertThat(event.tenant()).isEqualTo(sent.tenant());
        assertThat(event.payload()).isEqualTo(Payload.json(sent.payload()));
        assertThat(event.headers().without("time")).isEqualTo(sent.headers());
    }

    @Provide
    Arbitrary<StoredEvent> events() {
        Arbitrary<String> names = text().filter(text -> !text.matches("[\\x00-\\x20\\x7F]*"));
        Arbitrary<String> types =
                text().map(text -> text.replaceAll("[\\x00-\\x20\\x7F*>]", "")).filter(text -> !text.isEmpty());
        return Combinators.combine(
                        Arbitraries.create(UUID::randomUUID).map(EventId::new),
                        types,
                        names.injectNull(0.3),
                        payloads(),
                        headers(),
                        names.injectNull(0.5),
                        Arbitraries.longs().between(0, 4_000_000_000_000L).map(Instant::ofEpochMilli))
                .as((id, type, key, payload, headers, tenant, time) -> new StoredEvent(
                        new Position(1),
                        Lane.of(key, id, Lane.COUNT_DEFAULT),
                        id,
                        type,
                        key,
                        payload,
                        headers,
                        tenant,
                        time));
    }

    private static Arbitrary<Headers> headers() {
        Arbitrary<String> names = Arbitraries.of(
                Headers.CORRELATION_ID,
                Headers.CAUSATION_ID,
                Headers.USER_ID,
                Headers.TRACEPARENT,
                Headers.TRACESTATE,
                "region",
                "x9");
        return Arbitraries.maps(names, text()).ofMaxSize(6).map(map -> new Headers(new LinkedHashMap<>(map)));
    }

    /** As someone may have written them: also numbers that a parser would write otherwise. */
    private static Arbitrary<String> payloads() {
        Arbitrary<String> strings = text().map(JSON::writeValueAsString);
        Arbitrary<String> scalars = Arbitraries.oneOf(
                strings, Arbitraries.of("1.0", "1.50e+3", "-0", "12345678901234567890.123456789", "true", "null"));
        Arbitrary<String> objects =
                Combinators.combine(strings, scalars, scalars).as("{ %s : %s,\n\"z\":[ %s ,{}] }"::formatted);
        return Arbitraries.oneOf(scalars, objects);
    }

    private static final JsonMapper JSON = JsonMapper.builder().build();

    private static Arbitrary<String> text() {
        return Arbitraries.oneOf(
                Arbitraries.strings().ascii().excludeChars('\0').ofMaxLength(30),
                Arbitraries.of("Zoë", "50 %", "%41", "\"quoted\"", "a\\b", "日本", "😀 and more", " lead and trail "));
    }

    @Property(tries = 100)
    void the_same_message_is_always_the_same_event(@ForAll("events") StoredEvent any, @ForAll long millis) {
        Instant at = Instant.ofEpochMilli(millis & 0xFFFF_FFFF_FFFFL);
        Event event = Event.of(any.type(), Payload.json(any.payload()));
        EventId first = Objects.requireNonNull(
                new Incoming("stream:" + millis, event, at).from("orders").id());
        assertThat(new Incoming("stream:" + millis, event, at).from("orders").id())
                .isEqualTo(first);
        assertThat(new Incoming("stream:" + millis, event, at).from("others").id())
                .isNotEqualTo(first);
        assertThat(new Incoming("stream:x" + millis, event, at).from("orders").id())
                .isNotEqualTo(first);
        assertThat(first.value().version()).isEqualTo(8);
        assertThat(first.value().variant()).isEqualTo(2);
        assertThat(first.value().getMostSignificantBits() >>> 16).isEqualTo(at.toEpochMilli());
        assertThat(Map.copyOf(new Incoming("x", event).from("orders").headers().values()))
                .isEqualTo(Map.of("source", "orders", "messageId", "x"));
    }
}
