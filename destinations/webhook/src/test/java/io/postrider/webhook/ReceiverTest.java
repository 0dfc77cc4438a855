package io.postrider.webhook;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.postrider.Event;
import io.postrider.Headers;
import io.postrider.Payload;
import io.postrider.StoredEvent;
import io.postrider.wire.Encoding;
import io.postrider.wire.Incoming;
import io.postrider.wire.Message;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is verified, and what is not. */
class ReceiverTest {
    private static final Instant NOW = Instant.parse("2026-11-15T12:00:00Z");
    private static final StoredEvent EVENT = Letters.letter(
            Event.of("letter.sent", "x").key("ann").tenant("acme").header(Headers.CORRELATION_ID, "order 7"));

    private final byte[] body = EnvelopeDocument.write(EVENT).body();

    private static WebhookReceiver receiver(ReceiverConfig config) {
        return WebhookReceiver.of(config, () -> NOW);
    }

    private static WebhookReceiver receiver() {
        return receiver(ReceiverConfig.of(Letters.SECRET));
    }

    private static Map<String, String> signed(String id, Instant at, byte[] body) {
        Map<String, String> headers = new HashMap<>();
        headers.put("Webhook-Id", id);
        headers.put("Webhook-Timestamp", Long.toString(at.getEpochSecond()));
        headers.put("Webhook-Signature", Letters.SECRET.sign(id, at.getEpochSecond(), body));
        headers.put("Content-Type", "application/json; charset=utf-8");
        return headers;
    }

    private Map<String, String> signed() {
        return signed(EVENT.id().toString(), NOW, body);
    }

    private static void assertRefused(WebhookReceiver receiver, Map<String, String> headers, byte[] body, int status) {
        assertThatThrownBy(() -> receiver.verify(headers, body))
                .isInstanceOfSatisfying(
                        RefusedException.class,
                        refused -> assertThat(refused.status()).isEqualTo(status));
    }

    @Test
    void what_was_sent_is_what_is_received() {
        Verified verified = receiver().verify(signed(), body);
        Event event = verified.incoming().event();
        assertThat(verified.sentAt()).isEqualTo(NOW);
        assertThat(verified.incoming().id()).isEqualTo(EVENT.id().toString());
        assertThat(event.id()).isEqualTo(EVENT.id());
        assertThat(event.type()).isEqualTo("letter.sent");
        assertThat(event.key()).isEqualTo("ann");
        assertThat(event.tenant()).isEqualTo("acme");
        assertThat(event.payload()).isEqualTo(Payload.json("{\"pages\":1.50}"));
        assertThat(event.headers().get(Headers.CORRELATION_ID)).contains("order 7");
    }

    @Test
    void a_body_that_was_changed_is_refused() {
        byte[] tampered = body.clone();
        tampered[tampered.length - 3] ^= 1;
        assertRefused(receiver(), signed(), tampered, 401);
    }

    @Test
    void an_id_or_a_timestamp_that_was_changed_is_refused() {
        Map<String, String> headers = signed();
        headers.put("Webhook-Id", "other");
        assertRefused(receiver(), headers, body, 401);
        headers = signed();
        headers.put("Webhook-Timestamp", Long.toString(NOW.getEpochSecond() + 1));
        assertRefused(receiver(), headers, body, 401);
    }

    @Test
    void a_webhook_from_long_ago_or_from_the_future_is_refused_though_its_signature_is_right() {
        String id = EVENT.id().toString();
        Duration five = Duration.ofMinutes(5);
        receiver().verify(signed(id, NOW.minus(five), body), body);
        receiver().verify(signed(id, NOW.plus(five), body), body);
        assertRefused(receiver(), signed(id, NOW.minus(five).minusSeconds(1), body), body, 401);
        assertRefused(receiver(), signed(id, NOW.plus(five).plusSeconds(1), body), body, 401);
    }

    @Test
    void an_unknown_secret_is_refused_and_either_of_two_is_enough() {
        assertRefused(receiver(ReceiverConfig.of(Letters.OTHER_SECRET)), signed(), body, 401);
        receiver(ReceiverConfig.of(Letters.OTHER_SECRET).secret(Letters.SECRET)).verify(signed(), body);
    }

    @Test
    void one_right_signature_among_others_is_enough_but_not_after_too_many() {
        Map<String, String> headers = signed();
        String right = headers.get("Webhook-Signature");
        headers.put("Webhook-Signature", "v1,AAAA v2,xyz v1a,zyx  " + right);
        receiver().verify(headers, body);
        headers.put("Webhook-Signature", "v1,AAAA ".repeat(16) + right);
        assertRefused(receiver(), headers, body, 401);
    }

    @ParameterizedTest
    @ValueSource(strings = {"Webhook-Id", "Webhook-Timestamp", "Webhook-Signature"})
    void a_header_that_is_missing_is_named(String name) {
        Map<String, String> headers = signed();
        headers.remove(name);
        assertThatThrownBy(() -> receiver().verify(headers, body))
                .hasMessageContaining(name.toLowerCase(Locale.ROOT))
                .isInstanceOfSatisfying(
                        RefusedException.class,
                        refused -> assertThat(refused.status()).isEqualTo(400));
    }

    @ParameterizedTest
    @ValueSource(strings = {"soon", "-1", "1.5", "99999999999999999999", "0x10", "１２"})
    void a_timestamp_that_is_none_is_refused(String timestamp) {
        Map<String, String> headers = signed();
        headers.put("Webhook-Timestamp", timestamp);
        assertRefused(receiver(), headers, body, 400);
    }

    @Test
    void an_id_with_a_dot_is_refused_since_it_could_hide_a_timestamp() {
        assertRefused(receiver(), signed("a.b", NOW, body), body, 400);
        assertRefused(receiver(), signed("x".repeat(256), NOW, body), body, 400);
    }

    @Test
    void a_body_that_is_too_large_or_no_json_is_refused() {
        assertRefused(receiver(ReceiverConfig.of(Letters.SECRET).bodyMax(10)), signed(), body, 413);
        Map<String, String> headers = signed();
        headers.put("Content-Type", "text/plain");
        assertRefused(receiver(), headers, body, 415);
        headers.remove("Content-Type");
        assertRefused(receiver(), headers, body, 415);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "nonsense",
                "[]",
                "{}",
                "{\"id\":\"%s\"}",
                "{\"id\":\"%s\",\"type\":\"a\"}",
                "{\"id\":\"%s\",\"type\":7,\"payload\":1}",
                "{\"id\":\"%s\",\"type\":\"\",\"payload\":1}",
                "{\"id\":\"other\",\"type\":\"a\",\"payload\":1}",
                "{\"id\":\"%s\",\"type\":\"a\",\"payload\":1,\"headers\":{\"a\":1}}",
                "{\"id\":\"%s\",\"type\":\"a\",\"payload\":1}{}",
                "{\"id\":\"%s\",\"type\":\"a\",\"payload\":1"
            })
    void a_signed_body_that_is_no_envelope_is_refused(String text) {
        byte[] signed = text.formatted(EVENT.id()).getBytes(StandardCharsets.UTF_8);
        assertRefused(receiver(), signed(EVENT.id().toString(), NOW, signed), signed, 400);
    }

    @Test
    void an_envelope_is_read_whatever_the_order_and_spacing() {
        String text = " { \"payload\" : { \"a\" : [ 1.0 , \"}\" ] } , \"extra\":{\"b\":[1]}, \"type\":\"a\", \"id\":\""
                + EVENT.id() + "\" } ";
        byte[] spaced = text.getBytes(StandardCharsets.UTF_8);
        Incoming incoming = receiver()
                .verify(signed(EVENT.id().toString(), NOW, spaced), spaced)
                .incoming();
        assertThat(incoming.event().payload()).isEqualTo(Payload.json("{ \"a\" : [ 1.0 , \"}\" ] }"));
        for (String payload : new String[] {"1", "-1.50e3", "\"ü\\n\"", "true", "null", "[]", "{}"}) {
            byte[] bytes = ("{\"id\":\"" + EVENT.id() + "\",\"type\":\"a\",\"payload\":" + payload + "}")
                    .getBytes(StandardCharsets.UTF_8);
            assertThat(EnvelopeDocument.read(bytes).event().payload()).isEqualTo(Payload.json(payload));
        }
    }

    @Test
    void a_body_that_is_no_text_is_refused() {
        byte[] broken = body.clone();
        broken[broken.length - 5] = (byte) 0xFF;
        assertRefused(receiver(), signed(EVENT.id().toString(), NOW, broken), broken, 400);
    }

    @Test
    void any_sender_of_standard_webhooks_is_understood() {
        byte[] foreign = "{\"type\":\"invoice.paid\",\"data\":{\"n\":1}}".getBytes(StandardCharsets.UTF_8);
        WebhookReceiver standard = receiver(ReceiverConfig.of(Letters.SECRET).reading(Reading.standard("unknown")));
        Incoming incoming =
                standard.verify(signed("msg_1", NOW, foreign), foreign).incoming();
        assertThat(incoming.id()).isEqualTo("msg_1");
        assertThat(incoming.event().type()).isEqualTo("invoice.paid");
        assertThat(incoming.from("billing").id())
                .isEqualTo(incoming.from("billing").id())
                .isNotNull();
        byte[] untyped = "[1]".getBytes(StandardCharsets.UTF_8);
        assertThat(standard.verify(signed("msg_2", NOW, untyped), untyped)
                        .incoming()
                        .event()
                        .type())
                .isEqualTo("unknown");
        byte[] broken = "{".getBytes(StandardCharsets.UTF_8);
        assertRefused(standard, signed("msg_3", NOW, broken), broken, 400);
    }

    @Test
    void cloud_events_are_understood_in_both_modes() {
        WebhookReceiver messages = receiver(ReceiverConfig.of(Letters.SECRET).reading(Reading.message("unknown")));
        URI source = URI.create("/orders");
        for (Encoding encoding :
                new Encoding[] {Encoding.cloudEvents(source), Encoding.cloudEventsBinary(source, "ce-")}) {
            Message message = encoding.encode(EVENT);
            Map<String, String> headers = signed(EVENT.id().toString(), NOW, message.body());
            headers.remove("Content-Type");
            headers.putAll(HeaderFields.write(message));
            Event event = messages.verify(headers, message.body()).incoming().from("orders");
            assertThat(event.id()).isEqualTo(EVENT.id());
            assertThat(event.type()).isEqualTo("letter.sent");
            assertThat(event.key()).isEqualTo("ann");
            assertThat(event.headers().get(Headers.CORRELATION_ID)).contains("order 7");
        }
    }

    @Test
    void a_repeated_request_under_another_id_in_an_unsigned_header_is_the_same_message() {
        WebhookReceiver messages = receiver(ReceiverConfig.of(Letters.SECRET).reading(Reading.message("unknown")));
        Message message =
                Encoding.cloudEventsBinary(URI.create("/orders"), "ce-").encode(EVENT);
        Map<String, String> headers = signed(EVENT.id().toString(), NOW, message.body());
        headers.putAll(HeaderFields.write(message));
        headers.put("ce-id", "0199aaaa-0000-7000-8000-000000000000");
        headers.put("postrider-id", "0199aaaa-0000-7000-8000-000000000000");
        Incoming incoming = messages.verify(headers, message.body()).incoming();
        assertThat(incoming.id()).isEqualTo(EVENT.id().toString());
        assertThat(incoming.from("orders").id()).isEqualTo(EVENT.id());
    }

    @Test
    void a_receiver_needs_a_secret() {
        assertThatThrownBy(() -> new ReceiverConfig(List.of(), Reading.envelope(), Duration.ofMinutes(5), 1_000))
                .hasMessage("a receiver has 1 to 8 secrets, got 0");
        assertThatThrownBy(() -> ReceiverConfig.of(Letters.SECRET).bodyMax(0)).hasMessageContaining("bodyMax");
        assertThatThrownBy(() -> ReceiverConfig.of(Letters.SECRET).tolerance(Duration.ZERO))
                .hasMessageContaining("tolerance");
    }
}
