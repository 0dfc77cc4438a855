package io.postrider.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cloudevents.CloudEvent;
import io.cloudevents.core.builder.CloudEventBuilder;
import io.cloudevents.core.format.EventFormat;
import io.cloudevents.core.provider.EventFormatProvider;
import io.postrider.Event;
import io.postrider.EventId;
import io.postrider.Headers;
import io.postrider.Lane;
import io.postrider.Payload;
import io.postrider.Position;
import io.postrider.StoredEvent;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Messages of others, and what others make of ours: the CloudEvents SDK is the judge. */
class DecodingTest {
    private static final String STRUCTURED = "application/cloudevents+json";
    private static final EventFormat SDK =
            Objects.requireNonNull(EventFormatProvider.getInstance().resolveFormat(STRUCTURED));
    private static final EventId ID = EventId.of("0199c3d4-0000-7000-8000-000000000001");
    private static final Instant TIME = Instant.parse("2026-11-15T12:00:00.123Z");
    private static final Decoding.Origin ORIGIN = new Decoding.Origin("orders:17", "orders", "k", TIME);

    // ---- plain ------------------------------------------------------------------------------------------------------

    @Test
    void a_message_that_says_nothing_of_itself_is_known_by_where_it_lies() {
        Incoming incoming = Decoding.decode(message(Map.of("region", "eu"), "{\"a\":1}"), ORIGIN);
        assertThat(incoming.id()).isEqualTo("orders:17");
        assertThat(incoming.at()).isEqualTo(TIME);
        assertThat(incoming.event())
                .isEqualTo(
                        Event.of("orders", Payload.json("{\"a\":1}")).key("k").header("region", "eu"));
    }

    @Test
    void an_id_that_is_no_uuid_stays_visible() {
        Incoming incoming = Decoding.decode(message(Map.of("id", "order-17"), "1"), ORIGIN);
        Event event = incoming.from("shop");
        assertThat(incoming.at()).isNull();
        assertThat(event.headers().values()).isEqualTo(Map.of("source", "shop", "messageId", "order-17"));
    }

    @Test
    void what_java_takes_for_a_uuid_is_not_always_one() {
        assertThat(Decoding.decode(message(Map.of("id", "1-1-1-1-1"), "1"), ORIGIN)
                        .event()
                        .id())
                .isNull();
    }

    @Test
    void a_copy_for_one_subscription_there_is_for_all_here() {
        Message copy = message(Map.of("id", ID.toString(), Headers.ONLY_FOR, "relay"), "1");
        assertThat(Decoding.decode(copy, ORIGIN).from("shop").headers().values())
                .containsOnlyKeys("source");
    }

    @Test
    void what_cannot_be_decoded_is_in_the_exception_as_it_came() {
        Message binary = new Message(Map.of("a", "b"), new byte[] {(byte) 0xC3, 0x28});
        assertThatThrownBy(() -> Decoding.decode(binary, ORIGIN))
                .hasMessage("the message is no UTF-8 text")
                .isInstanceOfSatisfying(UndecodableException.class, e -> {
                    assertThat(e.undecoded()).isSameAs(binary);
                    assertThat(e.origin()).isSameAs(ORIGIN);
                });
    }

    // ---- CloudEvents ------------------------------------------------------------------------------------------------

    @Test
    void the_sdk_reads_our_document() {
        Message message = Encoding.cloudEvents(URI.create("/shop")).encode(stored());
        assertThat(message.header("content-type")).isEqualTo(STRUCTURED);
        assertIsStored(SDK.deserialize(message.body()));
    }

    @Test
    void our_headers_are_the_attributes_that_the_sdk_reads() {
        CloudEvent event = SDK.deserialize(
                Encoding.cloudEvents(URI.create("/shop")).encode(stored()).body());
        for (String prefix : Set.of("ce-", "ce_")) {
            Message message =
                    Encoding.cloudEventsBinary(URI.create("/shop"), prefix).encode(stored());
            Set<String> names = Stream.concat(event.getAttributeNames().stream(), event.getExtensionNames().stream())
                    .map(name -> name.equals("datacontenttype") ? "content-type" : prefix + name)
                    .collect(Collectors.toSet());
            assertThat(message.headers()).containsOnlyKeys(names);
            assertThat(new String(message.body(), StandardCharsets.UTF_8)).isEqualTo("{\"n\": 1.50}");
        }
    }

    private static void assertIsStored(CloudEvent event) {
        assertThat(event.getSpecVersion().toString()).isEqualTo("1.0");
        assertThat(event.getId()).isEqualTo(ID.toString());
        assertThat(event.getSource()).isEqualTo(URI.create("/shop"));
        assertThat(event.getType()).isEqualTo("order.placed");
        assertThat(event.getSubject()).isEqualTo("order 17");
        assertThat(event.getExtension("partitionkey")).isEqualTo("order 17");
        assertThat(event.getTime()).isEqualTo(OffsetDateTime.parse(TIME.toString()));
        assertThat(event.getDataContentType()).isEqualTo("application/json");
        assertThat(event.getExtension("correlationid")).isEqualTo("c-1");
        assertThat(event.getExtension("tenant")).isEqualTo("acme");
        assertThat(event.getExtensionNames()).doesNotContain("x-region", "xregion", "onlyfor");
        assertThat(Objects.requireNonNull(event.getData()).toBytes()).asString().isEqualTo("{\"n\":1.5}");
    }

    @Test
    void an_event_of_the_sdk_is_read() {
        CloudEvent event = CloudEventBuilder.v1()
                .withId("17")
                .withSource(URI.create("https://shop.example/orders"))
                .withType("order.placed")
                .withSubject("order-17")
                .withTime(OffsetDateTime.parse("2026-11-15T12:00:00Z"))
                .withData("application/json", "{\"n\":1}".getBytes(StandardCharsets.UTF_8))
                .withExtension("correlationid", "c-1")
                .withExtension("priority", 3)
                .build();
        Message message = new Message(Map.of("Content-Type", STRUCTURED + "; charset=utf-8"), SDK.serialize(event));
        Incoming incoming = Decoding.decode(message, ORIGIN);
        assertThat(incoming.id()).isEqualTo("https://shop.example/orders 17");
        assertThat(incoming.event().key()).isEqualTo("order-17");
        assertThat(incoming.event().payload()).isEqualTo(Payload.json("{\"n\":1}"));
        assertThat(incoming.event().headers().values())
                .isEqualTo(Map.of("correlationId", "c-1", "priority", "3", "time", "2026-11-15T12:00:00Z"));
    }

    @Test
    void headers_of_http_are_read_in_any_case() {
        Map<String, String> headers = Map.of(
                "Ce-Specversion",
                "1.0",
                "CE-ID",
                "a",
                "Ce-Source",
                "/s",
                "ce-type",
                "t",
                "Content-Type",
                "text/plain",
                "Ce-Subject",
                "\"K%C3%B6ln\"",
                "Traceparent",
                "00-1-2-01");
        Incoming incoming = Decoding.decode(message(headers, "hello"), ORIGIN);
        assertThat(incoming.id()).isEqualTo("/s a");
        assertThat(incoming.event().key()).isEqualTo("Köln");
        assertThat(incoming.event().payload()).isEqualTo(Payload.json("\"hello\""));
        assertThat(incoming.event().headers().values()).isEqualTo(Map.of("traceparent", "00-1-2-01"));
    }

    @Test
    void data_in_base64_is_read_if_it_is_json() {
        String event = "{\"specversion\":\"1.0\",\"id\":\"1\",\"source\":\"/s\",\"type\":\"t\",%s}";
        assertThat(structured(event.formatted("\"data_base64\":\"eyJhIjoxfQ==\""))
                        .event()
                        .payload())
                .isEqualTo(Payload.json("{\"a\":1}"));
        assertThat(structured(event.formatted("\"time\":null")).event().payload())
                .isEqualTo(Payload.json("null"));
    }

    @Test
    void what_is_wrong_with_a_cloud_event_is_said() {
        assertRefused("{\"specversion\":\"1.0\",\"source\":\"/s\",\"type\":\"t\"}", "the CloudEvent has no 'id'");
        assertRefused("{\"id\":\"1\"}", "the CloudEvent has no 'specversion'");
        assertRefused("{\"specversion\":\"2.0\"}", "CloudEvents 1.0 can be read, got specversion '2.0'");
        assertRefused("{\"id\":{}}", "the CloudEvent's 'id' is no text, number or boolean");
        assertRefused("[]", "the CloudEvent is no JSON object");
        assertThatThrownBy(() -> structured("{\"id\":")).hasMessageStartingWith("the CloudEvent is not JSON: ");
        assertThatThrownBy(() -> Decoding.decode(
                        message(Map.of("content-type", "application/cloudevents-batch+json"), "[]"), ORIGIN))
                .hasMessageContaining("got 'application/cloudevents-batch+json'");
        assertThatThrownBy(() -> Encoding.cloudEventsBinary(URI.create("/s"), "cloudEvents:"))
                .hasMessage("CloudEvents headers begin with 'ce-' or 'ce_', got 'cloudEvents:'");
    }

    private static void assertRefused(String json, String why) {
        assertThatThrownBy(() -> structured(json))
                .isInstanceOf(UndecodableException.class)
                .hasMessage(why);
    }

    private static Incoming structured(String json) {
        return Decoding.decode(message(Map.of("content-type", STRUCTURED), json), ORIGIN);
    }

    private static Message message(Map<String, String> headers, String body) {
        return new Message(headers, body.getBytes(StandardCharsets.UTF_8));
    }

    private static StoredEvent stored() {
        Headers headers = new Headers(Map.of(
                Headers.CORRELATION_ID, "c-1", "x-region", "eu", "subject", "its own", Headers.ONLY_FOR, "relay"));
        return new StoredEvent(
                new Position(1),
                Lane.of("order 17", ID, Lane.COUNT_DEFAULT),
                ID,
                "order.placed",
                "order 17",
                "{\"n\": 1.50}",
                headers,
                "acme",
                TIME);
    }
}
