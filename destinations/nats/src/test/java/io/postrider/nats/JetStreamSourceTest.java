package io.postrider.nats;

import static io.postrider.nats.Letters.dispatch;
import static io.postrider.nats.Letters.letter;
import static io.postrider.nats.Letters.letters;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.nats.client.Connection;
import io.nats.client.impl.Headers;
import io.postrider.Event;
import io.postrider.StoredEvent;
import io.postrider.destination.Source.Arrival;
import io.postrider.destination.SourceException;
import io.postrider.memory.MemoryStore;
import io.postrider.tck.Eventually;
import io.postrider.tck.destination.RoundTrip;
import io.postrider.tck.server.NatsServer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Messages come from a durable consumer until they are answered, also when the server was away. */
final class JetStreamSourceTest {
    private static final Duration LONG = Duration.ofSeconds(10);
    private static final Duration SHORT = Duration.ofMillis(50);

    @TempDir
    Path folder;

    private NatsServer server;
    private JetStreamDestination destination;
    private JetStreamSource source;

    @BeforeEach
    void start() {
        server = NatsServer.in(folder).start();
        destination = JetStreamDestination.start(
                JetStreamConfig.of(servers()).streams(Streams.create(StreamSpec.of("LETTERS", "letter.>"))));
        source = JetStreamSource.open(config());
    }

    @AfterEach
    void stop() {
        source.close();
        destination.close();
        server.close();
    }

    private Servers servers() {
        return Patiently.servers(server);
    }

    private JetStreamSourceConfig config() {
        return JetStreamSourceConfig.of(servers(), "LETTERS", "inbox")
                .create(true)
                .ackWait(Duration.ofSeconds(2))
                .answerTimeout(Duration.ofSeconds(3));
    }

    private void publish(String subject, Headers headers, String body) throws Exception {
        try (Connection connection = Patiently.connect(server)) {
            connection.jetStream().publish(subject, headers, body.getBytes(StandardCharsets.UTF_8));
        }
    }

    @Test
    void what_a_destination_has_published_arrives_as_it_was_with_its_trace() throws Exception {
        String trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
        StoredEvent sent = letter(
                "letter.sent",
                "{\"a\":1}",
                io.postrider.Headers.NONE
                        .with("traceparent", trace)
                        .with("correlationId", "order 7 \u624b\u7d19")
                        .with("Nats-Rollup", "all"));
        dispatch(destination, sent);
        List<Arrival> arrivals = source.pull(10, LONG);
        assertThat(arrivals).hasSize(1);
        Event event = arrivals.get(0).incoming().event();
        assertThat(arrivals.get(0).incoming().id()).isEqualTo(sent.id().toString());
        assertThat(event.id()).isEqualTo(sent.id());
        assertThat(event.type()).isEqualTo("letter.sent");
        assertThat(event.key()).isEqualTo(sent.key());
        assertThat(event.headers().values()).isEqualTo(sent.headers().values());
        assertThat(arrivals.get(0).attempt()).isEqualTo(1);
    }

    @Test
    void what_somebody_else_has_published_is_known_by_its_message_id_and_subject() throws Exception {
        String id = UUID.randomUUID().toString();
        publish("letter.foreign", new Headers().put("Nats-Msg-Id", id), "{\"a\":1}");
        Arrival arrival = source.pull(10, LONG).get(0);
        assertThat(arrival.incoming().id()).isEqualTo(id);
        assertThat(arrival.incoming().event().type()).isEqualTo("letter.foreign");
        assertThat(arrival.incoming().event().headers().values()).isEmpty();
    }

    @Test
    void a_pull_takes_what_there_is_at_once_and_waits_only_for_the_first() throws Exception {
        long began = System.nanoTime();
        dispatch(destination, letters("letter.sent", 3));
        assertThat(source.pull(100, LONG)).hasSize(3);
        assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(LONG);
        assertThat(source.pull(100, SHORT)).isEmpty();
        assertThat(source.pull(100, Duration.ZERO)).isEmpty();
    }

    @Test
    void what_comes_again_in_parts_comes_in_the_order_of_the_stream() throws Exception {
        List<StoredEvent> sent = letters("letter.sent", 12);
        dispatch(destination, sent.subList(0, 10));
        assertThat(source.pull(10, LONG)).hasSize(10);
        assertThat(source.pull(5, LONG)).hasSize(5); // all were due again, and these will be later than the rest
        source.close();
        dispatch(destination, sent.subList(10, 12));
        source = JetStreamSource.open(config());
        List<String> ids = new ArrayList<>();
        new Eventually(LONG.multipliedBy(2)).holds(() -> {
            source.pull(4, SHORT).forEach(arrival -> {
                ids.add(arrival.incoming().id());
                arrival.ack();
            });
            assertThat(ids).hasSize(12);
        });
        assertThat(ids)
                .containsExactlyElementsOf(
                        sent.stream().map(event -> event.id().toString()).toList());
    }

    @Test
    void of_large_messages_a_pull_takes_no_more_than_its_share_of_memory() throws Exception {
        String large = '"' + "x".repeat(1_000_000) + '"';
        int sent = 40;
        for (int i = 0; i < sent; i++) {
            dispatch(destination, letter("letter.sent", large, io.postrider.Headers.NONE));
        }
        List<Arrival> first = source.pull(1_000, LONG);
        assertThat(first).hasSizeBetween(25, 35);
        List<Arrival> rest = source.pull(1_000, LONG);
        assertThat(first.size() + rest.size()).isEqualTo(sent);
    }

    @Test
    void a_pull_takes_no_more_than_it_is_told_and_keeps_the_order() throws Exception {
        List<StoredEvent> sent = letters("letter.sent", 25);
        dispatch(destination, sent);
        List<String> ids = new ArrayList<>();
        for (int size : List.of(10, 10, 5)) {
            List<Arrival> arrivals = source.pull(10, LONG);
            assertThat(arrivals).hasSize(size);
            arrivals.forEach(arrival -> ids.add(arrival.incoming().id()));
            arrivals.forEach(Arrival::ack);
        }
        assertThat(ids)
                .containsExactlyElementsOf(
                        sent.stream().map(event -> event.id().toString()).toList());
    }

    @Test
    void what_is_given_back_comes_again_and_what_is_done_or_ended_does_not() throws Exception {
        dispatch(destination, letters("letter.sent", 4));
        List<Arrival> arrivals = source.pull(10, LONG);
        arrivals.get(0).ack();
        arrivals.get(1).nak(Duration.ZERO);
        arrivals.get(2).term("nobody can read it");
        arrivals.get(3).nak(Duration.ofMillis(300));
        List<String> again = new ArrayList<>();
        while (again.size() < 2) {
            for (Arrival arrival : source.pull(10, LONG)) {
                assertThat(arrival.attempt()).isEqualTo(2);
                again.add(arrival.incoming().id());
                arrival.ack();
            }
        }
        assertThat(again)
                .containsExactly(
                        arrivals.get(1).incoming().id(),
                        arrivals.get(3).incoming().id());
        assertThat(source.pull(10, Duration.ofSeconds(3))).isEmpty();
    }

    @Test
    void what_nobody_answers_comes_again_unless_someone_works_on_it() throws Exception {
        dispatch(destination, letters("letter.sent", 2));
        List<Arrival> arrivals = source.pull(10, LONG);
        List<Arrival> again = new ArrayList<>();
        for (int i = 0; i < 10; i++) { // three seconds, and its source waits for two
            arrivals.get(0).working();
            List<Arrival> pulled = source.pull(10, Duration.ofMillis(300));
            pulled.forEach(Arrival::ack);
            again.addAll(pulled);
        }
        assertThat(again).singleElement().satisfies(arrival -> {
            assertThat(arrival.incoming().id())
                    .isEqualTo(arrivals.get(1).incoming().id());
            assertThat(arrival.attempt()).isEqualTo(2);
        });
    }

    @Test
    void a_server_that_is_away_is_an_error_and_the_next_pull_connects_again() throws Exception {
        dispatch(destination, letters("letter.sent", 2));
        List<Arrival> before = source.pull(1, LONG);
        before.get(0).ack();
        server.process().kill();
        assertThatThrownBy(() -> source.pull(10, SHORT))
                .isInstanceOf(SourceException.class)
                .hasMessageContaining("jetstream/LETTERS/inbox");
        before.get(0).ack(); // on a connection that is gone: it does not throw
        server.start();
        List<Arrival> after = new Eventually(LONG).gives(() -> pulled(10));
        assertThat(after).isNotEmpty();
    }

    private List<Arrival> pulled(int most) {
        try {
            return source.pull(most, LONG);
        } catch (SourceException e) {
            throw new AssertionError(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void a_server_that_answers_nothing_is_an_error_in_time() throws Exception {
        assertThat(source.pull(10, SHORT)).isEmpty();
        server.process().pauseProcess();
        try {
            assertThatThrownBy(() -> source.pull(10, SHORT))
                    .isInstanceOf(SourceException.class)
                    .hasMessageContaining("nothing was answered");
        } finally {
            server.process().resumeProcess();
        }
        dispatch(destination, letters("letter.sent", 1));
        assertThat(new Eventually(LONG).gives(() -> pulled(10))).hasSize(1);
    }

    @Test
    void a_consumer_that_is_missing_or_different_is_an_error_that_says_so() {
        assertThatThrownBy(() -> JetStreamSource.open(JetStreamSourceConfig.of(servers(), "LETTERS", "other")))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("stream 'LETTERS' has no consumer 'other'");
        assertThatThrownBy(() -> JetStreamSource.open(
                        JetStreamSourceConfig.of(servers(), "NOWHERE", "other").create(true)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("stream not found");
        assertThatThrownBy(() -> JetStreamSource.open(
                        config().ackWait(Duration.ofSeconds(9)).maxDeliver(7)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("ackWait PT2S instead of PT9S")
                .hasMessageContaining("maxDeliver -1 instead of 7");
    }

    @Test
    void a_server_without_jetstream_is_an_error_that_says_so() {
        try (NatsServer plain =
                NatsServer.in(folder.resolve("plain"), "jetstream: false").start()) {
            Servers servers = Servers.at(plain.url());
            String words = "the server at " + plain.url() + " has no JetStream";
            assertThatThrownBy(() -> JetStreamSource.open(JetStreamSourceConfig.of(servers, "LETTERS", "inbox")
                            .create(true)))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage(words);
            assertThatThrownBy(() -> JetStreamDestination.start(JetStreamConfig.of(servers)))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage(words);
        }
    }

    @Test
    void two_nodes_share_the_messages_of_one_consumer() throws Exception {
        dispatch(destination, letters("letter.sent", 10));
        try (JetStreamSource other = JetStreamSource.open(config().create(false))) {
            assertThat(other.name()).isEqualTo(source.name());
            List<Arrival> here = source.pull(5, LONG);
            List<Arrival> there = other.pull(10, LONG);
            assertThat(here).hasSize(5);
            assertThat(there).hasSize(5);
        }
    }

    @Test
    void what_was_delivered_and_not_acknowledged_comes_before_later_messages_after_a_crash() throws Exception {
        List<StoredEvent> sent = new ArrayList<>(letters("letter.sent", 5));
        dispatch(destination, sent);
        List<Arrival> before = source.pull(5, LONG);
        before.get(0).ack();
        before.get(2).ack(); // behind one that is not
        source.close();
        List<StoredEvent> later = letters("letter.sent", 3);
        dispatch(destination, later);
        sent.addAll(later);
        source = JetStreamSource.open(config());
        List<Arrival> after = new ArrayList<>();
        while (after.size() < 6) {
            after.addAll(source.pull(10, LONG));
        }
        sent.remove(2);
        sent.remove(0);
        assertThat(after)
                .extracting(arrival -> arrival.incoming().id())
                .containsExactlyElementsOf(
                        sent.stream().map(event -> event.id().toString()).toList());
        assertThat(after).extracting(Arrival::attempt).containsExactly(2, 2, 2, 1, 1, 1);
    }

    @Test
    void a_closed_source_gives_nothing() {
        source.close();
        assertThatThrownBy(() -> source.pull(1, SHORT)).isInstanceOf(SourceException.class);
    }

    @Test
    void from_one_log_to_another_everything_arrives_once_in_order_and_with_its_trace() throws Exception {
        try (var trip = RoundTrip.between(MemoryStore.create(), MemoryStore.create())) {
            trip.receive(source);
            trip.assertArrives(destination);
        }
    }
}
