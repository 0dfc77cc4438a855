package io.postrider.webhook;

import static io.postrider.webhook.Letters.dispatch;
import static io.postrider.webhook.Letters.letter;
import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.destination.Outcome;
import io.postrider.webhook.PostOffice.Answer;
import java.net.InetAddress;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** https with a certificate that we trust, and with others. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class TlsTest {
    private static final Reach LOCAL = Reach.publicOnly().allow("127.0.0.1");

    private SSLContext localhost;
    private SSLContext example;

    @BeforeAll
    void make(@TempDir Path folder) {
        localhost = Certificates.of("dns:localhost", folder).context();
        example = Certificates.of("dns:hooks.example.com", folder).context();
    }

    private static WebhookConfig to(String url, SSLContext trusted) {
        return to(url, trusted, EndpointLimits.DEFAULT);
    }

    private static WebhookConfig to(String url, SSLContext trusted, EndpointLimits limits) {
        return WebhookConfig.to(EndpointConfig.of(url, Letters.SECRET).limits(limits))
                .reach(LOCAL)
                .tls(trusted);
    }

    private static Outcome outcome(WebhookConfig config) {
        try (WebhookDestination destination = WebhookDestination.of(config)) {
            return dispatch(destination, letter());
        }
    }

    @Test
    void a_certificate_that_is_trusted_for_its_name_is_taken() {
        try (PostOffice office = PostOffice.open(Answer.status(200, ""), localhost);
                WebhookDestination destination = WebhookDestination.of(to(office.url("/"), localhost))) {
            Letters.await(destination.probe().toCompletableFuture());
            for (int i = 0; i < 5; i++) {
                assertThat(dispatch(destination, letter())).isEqualTo(Outcome.DELIVERED);
            }
            assertThat(office.posted()).hasSize(5);
        }
    }

    @Test
    void tls_asks_for_the_name_although_the_connection_goes_to_an_address() {
        try (PostOffice office = PostOffice.open(Answer.status(200, ""), example)) {
            Reach named = LOCAL.lookup(host -> InetAddress.getAllByName("127.0.0.1"));
            String url = "https://hooks.example.com:" + office.port() + "/";
            assertThat(outcome(to(url, example).reach(named))).isEqualTo(Outcome.DELIVERED);
            assertThat(office.last().headers()).containsEntry("host", "hooks.example.com:" + office.port());
        }
    }

    @Test
    void a_certificate_of_another_name_is_down_and_nothing_is_sent() {
        try (PostOffice office = PostOffice.open(Answer.status(200, ""), example)) {
            assertThat(((Outcome.Down) outcome(to(office.url("/"), example))).why())
                    .contains("the certificate of localhost:" + office.port())
                    .contains("is not accepted")
                    .contains("localhost");
            assertThat(office.posted()).isEmpty();
        }
    }

    @Test
    void a_certificate_that_nobody_trusts_is_down_and_the_probe_says_so() throws Exception {
        try (PostOffice office = PostOffice.open(Answer.status(200, ""), localhost);
                WebhookDestination destination = WebhookDestination.of(to(office.url("/"), SSLContext.getDefault()))) {
            assertThat(((Outcome.Down) dispatch(destination, letter())).why())
                    .contains("the certificate of localhost:" + office.port() + " (127.0.0.1) is not accepted");
            assertThat(destination.probe().toCompletableFuture().handle((ok, failed) -> String.valueOf(failed)))
                    .succeedsWithin(Duration.ofSeconds(60))
                    .asString()
                    .contains("is not accepted");
            assertThat(office.posted()).isEmpty();
        }
    }

    @Test
    void a_server_without_tls_is_down() {
        try (RawServer plain = RawServer.that(socket -> RawServer.write(socket, "HTTP/1.1 400 Bad\r\n\r\n"))) {
            String url = plain.url().replace("http:", "https:");
            assertThat(((Outcome.Down) outcome(to(url, localhost))).why()).contains("no TLS with localhost");
        }
    }

    @Test
    void a_server_that_leaves_a_handshake_open_is_down_in_time() {
        EndpointLimits quick = EndpointLimits.DEFAULT.timeouts(Duration.ofSeconds(1), Duration.ofSeconds(5));
        try (RawServer silent = RawServer.that(socket -> {})) {
            String url = silent.url().replace("http:", "https:");
            assertThat(((Outcome.Down) outcome(to(url, localhost, quick))).why())
                    .contains("no TLS with localhost")
                    .endsWith("within 1 s, although it took the connection: does it speak https?")
                    .doesNotContain("no connection");
        }
    }

    @Test
    void a_server_that_hangs_up_during_a_handshake_had_taken_the_connection() {
        try (RawServer rude = RawServer.that(socket -> {
            assertThat(socket.getInputStream().read()).isNotNegative();
            socket.setSoLinger(true, 0); // a reset, which is no exception of TLS
            socket.close();
        })) {
            String url = rude.url().replace("http:", "https:");
            assertThat(((Outcome.Down) outcome(to(url, localhost))).why()).contains("no TLS with localhost");
        }
    }

    @Test
    void a_redirect_within_the_same_origin_is_followed_where_that_is_allowed() {
        Answer moved = exchange -> (exchange.getRequestURI().getPath().equals("/old")
                        ? Answer.status(308, "", "Location", "/new?x=1")
                        : Answer.status(200, ""))
                .to(exchange);
        try (PostOffice office = PostOffice.open(moved, localhost)) {
            EndpointLimits allowed = EndpointLimits.DEFAULT.redirects(1);
            assertThat(outcome(to(office.url("/old"), localhost, allowed))).isEqualTo(Outcome.DELIVERED);
            assertThat(office.posted()).extracting(PostOffice.Posted::path).containsExactly("/old", "/new?x=1");
            assertThat(office.posted().get(1).body())
                    .isEqualTo(office.posted().get(0).body());
            assertThat(((Outcome.Retry) outcome(to(office.url("/old"), localhost))).why())
                    .contains("308", "not followed");
        }
    }

    @Test
    void redirects_end_at_their_limit() {
        try (PostOffice office = PostOffice.open(Answer.status(307, "", "Location", "/again"), localhost)) {
            EndpointLimits allowed = EndpointLimits.DEFAULT.redirects(2);
            assertThat(outcome(to(office.url("/"), localhost, allowed))).isInstanceOf(Outcome.Retry.class);
            assertThat(office.posted()).hasSize(3);
        }
    }

    @Test
    void a_redirect_to_elsewhere_is_never_followed() {
        HttpTarget from = HttpTarget.of(URI.create("https://example.com/in"));
        for (String to : new String[] {
            "https://evil.example.com/in",
            "http://example.com/in",
            "https://example.com:8443/in",
            "//169.254.169.254/latest",
            "https://example.com@evil.example.com/",
            "http://2130706433/",
            "file:///etc/passwd",
            "not a url"
        }) {
            HttpAnswer answer = new HttpAnswer(307, Map.of("location", to), "", false);
            assertThat(Verdict.follow(from, answer)).as(to).isEqualTo(Optional.empty());
        }
        for (int status : new int[] {300, 301, 302, 303, 304}) {
            HttpAnswer answer = new HttpAnswer(status, Map.of("location", "/other"), "", false);
            assertThat(Verdict.follow(from, answer)).as("" + status).isEqualTo(Optional.empty());
        }
    }
}
