package io.postrider.webhook;

import static io.postrider.webhook.Letters.dispatch;
import static io.postrider.webhook.Letters.letter;
import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.destination.Outcome;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Servers that are slow, rude, broken or hostile. */
class MisbehaviourTest {
    /** For what never comes. */
    private static final EndpointLimits QUICK =
            EndpointLimits.DEFAULT.timeouts(Duration.ofMillis(500), Duration.ofMillis(400));

    /** For what comes, however busy the machine is. */
    private static final EndpointLimits PATIENT =
            EndpointLimits.DEFAULT.timeouts(Duration.ofSeconds(15), Duration.ofSeconds(15));

    private static final Duration BYTE_EVERY = Duration.ofMillis(100);
    private static final String OK = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";

    private static WebhookDestination to(String url, EndpointLimits limits) {
        return WebhookDestination.of(
                WebhookConfig.to(EndpointConfig.of(url, Letters.SECRET).limits(limits))
                        .reach(Reach.publicOnly().allow("localhost")));
    }

    private static Outcome outcomeOf(RawServer.Behaviour behaviour) {
        return outcomeOf(behaviour, QUICK);
    }

    private static Outcome outcomeOf(RawServer.Behaviour behaviour, EndpointLimits limits) {
        try (RawServer server = RawServer.that(behaviour);
                WebhookDestination destination = to(server.url(), limits)) {
            return dispatch(destination, letter());
        }
    }

    private static Outcome answeredWith(String text) {
        return outcomeOf(
                socket -> {
                    RawServer.readRequest(socket);
                    RawServer.write(socket, text);
                    socket.close();
                },
                PATIENT);
    }

    @Test
    void a_server_that_never_answers_is_a_retry_since_it_still_takes_connections() {
        assertThat(outcomeOf(RawServer::readRequest))
                .isInstanceOfSatisfying(
                        Outcome.Retry.class, retry -> assertThat(retry.why()).contains("no answer within 400 ms"));
    }

    @Test
    void a_server_that_never_reads_is_a_retry() {
        assertThat(outcomeOf(socket -> {})).isInstanceOf(Outcome.Retry.class);
    }

    @Test
    void a_byte_now_and_then_does_not_prolong_the_wait() {
        Outcome outcome = outcomeOf(socket -> {
            RawServer.readRequest(socket);
            RawServer.write(socket, "HTTP/1.1 200 OK\r\nX: ");
            while (true) {
                RawServer.write(socket, "x");
                LockSupport.parkNanos(BYTE_EVERY.toNanos());
            }
        });
        assertThat(((Outcome.Retry) outcome).why()).contains("no answer within");
    }

    @Test
    void a_status_that_has_come_counts_although_the_body_does_not() {
        assertThat(outcomeOf(socket -> {
                    RawServer.readRequest(socket);
                    RawServer.write(socket, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf");
                }))
                .isEqualTo(Outcome.DELIVERED);
        assertThat(((Outcome.Dead) answeredWith("HTTP/1.1 422 No\r\nContent-Length: 100\r\n\r\nhalf")).why())
                .endsWith("answered 422: half");
    }

    @Test
    void a_connection_that_is_closed_without_an_answer_is_a_retry_while_the_server_takes_others() {
        assertThat(answeredWith("")).isInstanceOf(Outcome.Retry.class);
        assertThat(outcomeOf(Socket::close)).isInstanceOf(Outcome.Retry.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SSH-2.0-OpenSSH_9.2\r\n",
                "HTTP/2 200\r\n\r\n",
                "HTTP/1.1 20 OK\r\n\r\n",
                "HTTP/1.1 2000 OK\r\n\r\n",
                "200 OK\r\n\r\n",
                "\r\n\r\n"
            })
    void what_is_not_http_is_no_delivery(String text) {
        assertThat(answeredWith(text))
                .isInstanceOfSatisfying(
                        Outcome.Retry.class, retry -> assertThat(retry.why()).contains("not HTTP/1.1"));
    }

    @Test
    void endless_headers_and_lines_and_interim_answers_are_no_delivery() {
        String header = "X-Header: x\r\n";
        assertThat(answeredWith("HTTP/1.1 200 OK\r\n" + header.repeat(1_000) + "\r\n"))
                .isInstanceOf(Outcome.Retry.class);
        assertThat(answeredWith("HTTP/1.1 200 OK\r\nX: " + "x".repeat(100_000) + "\r\n\r\n"))
                .isInstanceOf(Outcome.Retry.class);
        assertThat(answeredWith("HTTP/1.1 100 Continue\r\n\r\n".repeat(1_000) + OK))
                .isInstanceOf(Outcome.Retry.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "HTTP/1.1 100 Continue\r\n\r\n" + OK,
                "HTTP/1.0 200 OK\r\n\r\nhello",
                "HTTP/1.1 200\r\n\r\n",
                "HTTP/1.1 200 OK\nContent-Length: 0\n\n",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;x=y\r\nhello\r\n0\r\nTrailer: x\r\n\r\n",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nnonsense\r\n",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n",
                "HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\n",
                "HTTP/1.1 204 No Content\r\n\r\n"
            })
    void every_form_of_a_2xx_is_a_delivery(String text) {
        assertThat(answeredWith(text)).isEqualTo(Outcome.DELIVERED);
    }

    @Test
    void an_endless_body_is_not_read_to_its_end() {
        AtomicInteger sent = new AtomicInteger();
        Outcome outcome = outcomeOf(
                socket -> {
                    RawServer.readRequest(socket);
                    RawServer.write(socket, "HTTP/1.1 400 Bad\r\n\r\n");
                    while (true) {
                        RawServer.write(socket, "x".repeat(10_000));
                        sent.incrementAndGet();
                    }
                },
                PATIENT);
        assertThat(((Outcome.Dead) outcome).why()).contains("answered 400: xxx").hasSizeLessThan(2_200);
        assertThat(sent.get()).isLessThan(5_000);
    }

    @Test
    void who_refuses_a_request_before_reading_it_is_heard() {
        assertThat(outcomeOf(
                        socket -> {
                            RawServer.write(socket, "HTTP/1.1 413 Too Large\r\nContent-Length: 5\r\n\r\nlarge");
                            RawServer.readRequest(socket);
                        },
                        PATIENT))
                .isInstanceOfSatisfying(
                        Outcome.Dead.class, dead -> assertThat(dead.why()).endsWith("answered 413: large"));
    }

    @Test
    void a_server_that_goes_while_it_has_a_request_is_down() throws IOException {
        try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                WebhookDestination destination = to("http://localhost:" + listener.getLocalPort() + "/", PATIENT)) {
            CompletableFuture<Outcome> outcome = Letters.begin(destination, letter());
            try (Socket taken = listener.accept()) {
                RawServer.readRequest(taken);
                listener.close();
            }
            assertThat(Letters.await(outcome)).isInstanceOf(Outcome.Down.class);
        }
    }

    @Test
    void a_server_that_hangs_up_before_its_listener_closes_is_down() throws IOException {
        try (ServerSocket listener = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
                WebhookDestination destination = to("http://localhost:" + listener.getLocalPort() + "/", PATIENT)) {
            CompletableFuture<Outcome> outcome = Letters.begin(destination, letter());
            try (Socket taken = listener.accept()) {
                RawServer.readRequest(taken);
            }
            try (Socket asking = listener.accept()) { // whether anybody is there still
                listener.close();
            }
            assertThat(Letters.await(outcome)).isInstanceOf(Outcome.Down.class);
        }
    }

    @Test
    void a_connection_is_kept_for_the_next_request() {
        try (RawServer server = RawServer.that(MisbehaviourTest::answerAll);
                WebhookDestination destination = to(server.url(), PATIENT)) {
            for (int i = 0; i < 20; i++) {
                assertThat(dispatch(destination, letter())).isEqualTo(Outcome.DELIVERED);
            }
            assertThat(server.connections()).isEqualTo(1);
        }
    }

    @Test
    void a_connection_that_nobody_needs_is_closed_after_a_while() {
        CountDownLatch closed = new CountDownLatch(1);
        try (RawServer server = RawServer.that(socket -> {
                    answerAll(socket);
                    closed.countDown();
                });
                WebhookDestination destination = to(server.url(), PATIENT.keepAlive(Duration.ofMillis(50)))) {
            assertThat(dispatch(destination, letter())).isEqualTo(Outcome.DELIVERED);
            Letters.await(CompletableFuture.runAsync(() -> await(closed)));
            assertThat(dispatch(destination, letter())).isEqualTo(Outcome.DELIVERED);
            assertThat(server.connections()).isEqualTo(2);
        }
    }

    private static void answerAll(Socket socket) throws IOException {
        while (RawServer.readRequest(socket)) {
            RawServer.write(socket, OK);
        }
    }

    @Test
    void a_kept_connection_that_was_closed_meanwhile_costs_nothing() {
        AtomicInteger requests = new AtomicInteger();
        try (RawServer server = RawServer.that(socket -> {
                    RawServer.readRequest(socket);
                    requests.incrementAndGet();
                    RawServer.write(socket, OK); // and closes, although it did not say so
                    socket.close();
                });
                WebhookDestination destination = to(server.url(), PATIENT)) {
            for (int i = 0; i < 20; i++) {
                assertThat(dispatch(destination, letter())).isEqualTo(Outcome.DELIVERED);
            }
            assertThat(requests).hasValue(20);
        }
    }

    @Test
    void an_endpoint_whose_listener_takes_nobody_is_down_in_time() throws IOException {
        try (ServerSocket full = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                Socket first = new Socket(full.getInetAddress(), full.getLocalPort());
                Socket second = new Socket(full.getInetAddress(), full.getLocalPort());
                WebhookDestination destination = to("http://localhost:" + full.getLocalPort() + "/", QUICK)) {
            assertThat(first.isConnected() && second.isConnected()).isTrue();
            Outcome outcome = dispatch(destination, letter());
            assertThat(((Outcome.Down) outcome).why())
                    .contains("no connection to")
                    .contains("within 500 ms");
        }
    }

    @Test
    void what_is_under_way_when_it_is_closed_is_down_at_once() {
        EndpointLimits slow =
                EndpointLimits.DEFAULT.concurrency(1).timeouts(Duration.ofSeconds(5), Duration.ofMinutes(5));
        CountDownLatch arrived = new CountDownLatch(1);
        try (RawServer server = RawServer.that(socket -> {
            RawServer.readRequest(socket);
            arrived.countDown();
        })) {
            WebhookDestination destination = to(server.url(), slow);
            List<CompletableFuture<Outcome>> outcomes = List.of(
                    Letters.begin(destination, letter()),
                    Letters.begin(destination, letter()),
                    Letters.begin(destination, letter()));
            Letters.await(CompletableFuture.runAsync(() -> await(arrived)));
            destination.close();
            assertThat(outcomes)
                    .allSatisfy(outcome -> assertThat(Letters.await(outcome)).isInstanceOf(Outcome.Down.class));
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
