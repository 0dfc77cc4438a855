package io.postrider.webhook;

import static io.postrider.webhook.Letters.dispatch;
import static io.postrider.webhook.Letters.letter;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.postrider.Event;
import io.postrider.StoredEvent;
import io.postrider.destination.Outcome;
import io.postrider.webhook.PostOffice.Answer;
import io.postrider.wire.Encoding;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What an endpoint answers, and what becomes of the event. */
class AnswerTest {
    private static final Instant NOW = Instant.parse("2026-11-15T12:00:00Z");

    private volatile Answer answer = Answer.status(200, "");
    private volatile Instant now = NOW;
    private final PostOffice office = PostOffice.open(exchange -> answer.to(exchange));
    private final List<WebhookDestination> opened = new ArrayList<>();
    private WebhookDestination destination = to(limits -> limits);

    private WebhookDestination to(UnaryOperator<EndpointLimits> limits) {
        EndpointConfig endpoint = EndpointConfig.of(office.url("/in?token=hidden"), Letters.SECRET)
                .header("Authorization", "Bearer hidden")
                .limits(limits.apply(EndpointLimits.DEFAULT));
        return opened(WebhookDestination.of(
                WebhookConfig.to(endpoint)
                        .reach(Reach.publicOnly().allow("127.0.0.0/8").allow("::1")),
                () -> now));
    }

    private WebhookDestination opened(WebhookDestination one) {
        opened.add(one);
        return one;
    }

    @AfterEach
    void close() {
        opened.forEach(WebhookDestination::close);
        office.close();
    }

    @Test
    void a_request_has_the_event_and_its_signature() {
        StoredEvent event = letter();
        assertThat(dispatch(destination, event)).isEqualTo(Outcome.DELIVERED);
        PostOffice.Posted posted = office.last();
        String body = new String(posted.body(), StandardCharsets.UTF_8);
        assertThat(body)
                .isEqualTo("{\"id\":\"" + event.id() + "\",\"type\":\"letter.sent\",\"key\":\"ann\","
                        + "\"time\":\"2026-11-15T12:00:00Z\",\"payload\":{\"pages\":1.50}}");
        assertThat(posted.path()).isEqualTo("/in?token=hidden");
        assertThat(posted.headers())
                .containsEntry("webhook-id", event.id().toString())
                .containsEntry("webhook-timestamp", Long.toString(NOW.getEpochSecond()))
                .containsEntry(
                        "webhook-signature",
                        Letters.SECRET.sign(event.id().toString(), NOW.getEpochSecond(), posted.body()))
                .containsEntry("content-type", "application/json")
                .containsEntry("authorization", "Bearer hidden")
                .containsEntry("host", "localhost:" + office.port());
    }

    @Test
    void the_id_stays_and_the_timestamp_moves_when_an_event_is_sent_again() {
        StoredEvent event = letter();
        answer = Answer.status(500, "");
        dispatch(destination, event);
        now = NOW.plusSeconds(60);
        dispatch(destination, event);
        assertThat(office.posted())
                .extracting(posted -> posted.headers().get("webhook-id"))
                .containsExactly(event.id().toString(), event.id().toString());
        assertThat(office.posted())
                .extracting(posted -> posted.headers().get("webhook-timestamp"))
                .containsExactly(Long.toString(NOW.getEpochSecond()), Long.toString(NOW.getEpochSecond() + 60));
    }

    @Test
    void while_a_secret_is_exchanged_both_sign() {
        EndpointConfig endpoint =
                EndpointConfig.of(office.url("/"), Letters.SECRET).secret(Letters.OTHER_SECRET);
        try (WebhookDestination both = WebhookDestination.of(
                WebhookConfig.to(endpoint).reach(Reach.publicOnly().allow("localhost")))) {
            assertThat(dispatch(both, letter())).isEqualTo(Outcome.DELIVERED);
        }
        PostOffice.Posted posted = office.last();
        assertThat(posted.headers().get("webhook-signature")).matches("v1,\\S{44} v1,\\S{44}");
        for (Secret secret : List.of(Letters.SECRET, Letters.OTHER_SECRET)) {
            WebhookReceiver.of(ReceiverConfig.of(secret)).verify(posted.headers(), posted.body());
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {200, 201, 202, 204, 299})
    void every_2xx_is_a_delivery(int status) {
        answer = Answer.status(status, "");
        assertThat(dispatch(destination, letter())).isEqualTo(Outcome.DELIVERED);
        assertThat(dispatch(destination, letter())).isEqualTo(Outcome.DELIVERED);
    }

    @ParameterizedTest
    @ValueSource(ints = {401, 402, 403, 404, 405, 408, 421, 425, 429, 451, 500, 502, 503, 504, 599})
    void what_somebody_can_mend_is_a_retry_with_the_words_of_the_endpoint(int status) {
        answer = Answer.status(status, "busy\u0000\r\nnow");
        assertThat(dispatch(destination, letter()))
                .isEqualTo(new Outcome.Retry(
                        null, "http://localhost:" + office.port() + "/in answered " + status + ": busy now"));
    }

    @ParameterizedTest
    @ValueSource(ints = {400, 409, 411, 413, 415, 422})
    void an_event_that_is_refused_for_itself_is_dead_with_the_words_of_the_endpoint(int status) {
        answer = Answer.status(status, "no such letter");
        String why = ((Outcome.Dead) dispatch(destination, letter())).why();
        assertThat(why)
                .contains("answered " + status)
                .contains("no such letter")
                .doesNotContain("hidden");
    }

    @ParameterizedTest
    @ValueSource(ints = {300, 301, 302, 304, 307})
    void a_redirect_that_is_not_followed_is_a_retry_that_says_so(int status) {
        answer = Answer.status(status, "", "Location", office.url("/other"));
        Outcome.Retry retry = (Outcome.Retry) dispatch(destination, letter());
        assertThat(retry.counts()).isTrue();
        assertThat(retry.why()).contains("answered " + status).contains("this redirect is not followed");
    }

    @Test
    void an_endpoint_that_is_gone_is_dead() {
        answer = Answer.status(410, "");
        assertThat(((Outcome.Dead) dispatch(destination, letter())).why()).contains("410", "no more webhooks");
    }

    @Test
    void only_the_beginning_of_a_response_is_kept() {
        destination = to(limits -> limits.responseBytes(100));
        answer = Answer.status(400, "x".repeat(200_000));
        String why = ((Outcome.Dead) dispatch(destination, letter())).why();
        assertThat(why).endsWith(": " + "x".repeat(100) + "…");
        answer = Answer.status(200, "x".repeat(2_000_000));
        assertThat(dispatch(destination, letter())).isEqualTo(Outcome.DELIVERED);
    }

    @Test
    void an_endpoint_that_says_when_to_come_again_is_left_alone_until_then() {
        for (String when : List.of("120", "Sun, 15 Nov 2026 12:02:00 GMT")) {
            now = NOW;
            destination = to(limits -> limits);
            answer = Answer.status(429, "slow down", "Retry-After", when);
            assertThat(dispatch(destination, letter()))
                    .isInstanceOfSatisfying(
                            Outcome.Retry.class, retry -> assertThat(retry.at()).isEqualTo(NOW.plusSeconds(120)));
            int before = office.posted().size();
            answer = Answer.status(200, "");
            assertThat(((Outcome.Down) dispatch(destination, letter())).why()).contains("2026-11-15T12:02:00Z");
            assertThat(destination.probe().toCompletableFuture().handle((ok, failed) -> String.valueOf(failed)))
                    .succeedsWithin(Duration.ofSeconds(60))
                    .asString()
                    .contains("left alone until");
            assertThat(office.posted()).hasSize(before);
            now = NOW.plusSeconds(120);
            Letters.await(destination.probe().toCompletableFuture());
            assertThat(dispatch(destination, letter())).isEqualTo(Outcome.DELIVERED);
        }
    }

    @Test
    void a_redirect_is_not_followed_over_plain_http_even_if_redirects_are_allowed() {
        destination = to(limits -> limits.redirects(3));
        answer = Answer.status(307, "", "Location", office.url("/other"));
        assertThat(((Outcome.Retry) dispatch(destination, letter())).why()).contains("307", "not followed");
        assertThat(office.posted()).hasSize(1);
    }

    @Test
    void a_name_with_a_private_address_is_a_retry_that_counts_unless_allowed_and_nothing_is_sent() {
        Reach reach = Reach.publicOnly().lookup(host -> addresses("127.0.0.1"));
        EndpointConfig endpoint = EndpointConfig.unsigned("http://hooks.example.com:" + office.port() + "/");
        try (WebhookDestination strict =
                WebhookDestination.of(WebhookConfig.to(endpoint).reach(reach))) {
            Outcome.Retry retry = (Outcome.Retry) dispatch(strict, letter());
            assertThat(retry.counts()).isTrue();
            assertThat(retry.why()).contains("'hooks.example.com'").contains("loopback and not allowed");
            assertThat(strict.probe().toCompletableFuture().handle((ok, failed) -> failed))
                    .succeedsWithin(Duration.ofSeconds(60))
                    .satisfies(failed -> assertThat(failed).hasMessageContaining("loopback"));
        }
        assertThat(office.posted()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"localhost", "a.localhost", "127.0.0.1", "10.1.2.3", "169.254.169.254", "[::1]", "[fc00::1]"})
    void an_address_that_is_not_allowed_is_refused_when_the_destination_is_made(String host) {
        WebhookConfig config = WebhookConfig.to(EndpointConfig.unsigned("http://" + host + "/in"));
        assertThatThrownBy(() -> WebhookDestination.of(config))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("not allowed")
                .hasMessageContaining("Reach.allow");
        String allowed = host.replaceAll("[\\[\\]]", "");
        WebhookDestination.of(config.reach(Reach.publicOnly().allow(allowed))).close();
    }

    @Test
    void the_connection_goes_to_the_address_that_was_checked_and_the_request_to_the_name() {
        AtomicInteger lookups = new AtomicInteger();
        Reach reach = Reach.publicOnly()
                .allow("127.0.0.1")
                .lookup(host -> addresses(lookups.incrementAndGet() == 1 ? "127.0.0.1" : "127.0.0.2"));
        EndpointConfig endpoint = EndpointConfig.unsigned("http://hooks.example.com:" + office.port() + "/")
                .limits(EndpointLimits.DEFAULT.keepAlive(Duration.ZERO));
        try (WebhookDestination named =
                WebhookDestination.of(WebhookConfig.to(endpoint).reach(reach))) {
            assertThat(dispatch(named, letter())).isEqualTo(Outcome.DELIVERED);
            assertThat(lookups).hasValue(1);
            assertThat(office.last().headers()).containsEntry("host", "hooks.example.com:" + office.port());
            assertThat(((Outcome.Retry) dispatch(named, letter())).why()).contains("127.0.0.2", "loopback");
        }
        assertThat(office.posted()).hasSize(1);
    }

    private static InetAddress[] addresses(String... literals) throws UnknownHostException {
        InetAddress[] addresses = new InetAddress[literals.length];
        for (int i = 0; i < literals.length; i++) {
            addresses[i] = InetAddress.getByName(literals[i]);
        }
        return addresses;
    }

    @Test
    void the_next_address_of_a_name_is_tried_when_nobody_is_at_the_first() {
        Reach reach = Reach.publicOnly().allow("127.0.0.0/8").lookup(host -> addresses("127.0.0.2", "127.0.0.1"));
        try (WebhookDestination named = WebhookDestination.of(
                WebhookConfig.to(EndpointConfig.unsigned(office.url("/"))).reach(reach))) {
            assertThat(dispatch(named, letter())).isEqualTo(Outcome.DELIVERED);
        }
    }

    @Test
    void an_unknown_host_is_down() {
        Reach reach = Reach.publicOnly().lookup(host -> {
            throw new UnknownHostException(host);
        });
        EndpointConfig endpoint = EndpointConfig.unsigned("http://nobody.invalid/");
        try (WebhookDestination nowhere =
                WebhookDestination.of(WebhookConfig.to(endpoint).reach(reach))) {
            assertThat(((Outcome.Down) dispatch(nowhere, letter())).why()).contains("'nobody.invalid' is unknown");
        }
    }

    @Test
    void a_header_of_an_event_cannot_become_two() {
        destination = opened(WebhookDestination.of(WebhookConfig.to(EndpointConfig.unsigned(office.url("/")))
                .encoding(Encoding.plain())
                .reach(Reach.publicOnly().allow("localhost"))));
        StoredEvent event = letter(Event.of("letter.sent", "x")
                .key("a\r\nHost: evil")
                .header("na\r\nme: x", "va\r\nlue: y")
                .header("traceparent", "00\r\nforged: z"));
        assertThat(dispatch(destination, event)).isEqualTo(Outcome.DELIVERED);
        assertThat(office.last().headers())
                .containsEntry("postrider-key", "a%0D%0AHost:%20evil")
                .containsEntry("postrider-na%0D%0Ame%3A%20x", "va%0D%0Alue:%20y")
                .containsEntry("traceparent", "00%0D%0Aforged:%20z")
                .containsEntry("host", "localhost:" + office.port())
                .doesNotContainKeys("forged", "me", "lue");
    }

    @Test
    void several_endpoints_are_not_stopped_by_one_that_is_gone() {
        PostOffice gone = PostOffice.open(Answer.status(200, ""));
        gone.close();
        Endpoints endpoints = event -> Optional.ofNullable(event.tenant())
                .filter(tenant -> !tenant.equals("nobody"))
                .map(tenant -> EndpointConfig.unsigned(tenant.equals("gone") ? gone.url("/") : office.url("/")));
        try (WebhookDestination several = WebhookDestination.of(
                WebhookConfig.to(endpoints).reach(Reach.publicOnly().allow("localhost")), () -> now)) {
            assertThat(dispatch(several, Letters.of("gone", "a"))).isInstanceOf(Outcome.Retry.class);
            assertThat(dispatch(several, Letters.of("here", "a"))).isEqualTo(Outcome.DELIVERED);
            assertThat(((Outcome.Dead) dispatch(several, Letters.of("nobody", "a"))).why())
                    .isEqualTo("no endpoint takes events of the type 'a' and the tenant 'nobody'");
            Letters.await(several.probe().toCompletableFuture());
            answer = Answer.status(503, "", "Retry-After", "60");
            dispatch(several, Letters.of("here", "a"));
            assertThat(dispatch(several, Letters.of("here", "a")))
                    .isEqualTo(Outcome.postponed(
                            NOW.plusSeconds(60), "the endpoint asked to be left alone until 2026-11-15T12:01:00Z"));
        }
    }

    @Test
    void a_search_for_an_endpoint_that_fails_is_a_retry() {
        Endpoints broken = event -> {
            throw new CompletionException("the table is locked", null);
        };
        try (WebhookDestination several = WebhookDestination.of(WebhookConfig.to(broken))) {
            assertThat(((Outcome.Retry) dispatch(several, letter())).why()).contains("the table is locked");
        }
    }
}
