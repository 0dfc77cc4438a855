package io.postrider.nats;

import static org.assertj.core.api.Assertions.assertThat;

import io.nats.client.Connection;
import io.nats.client.JetStreamManagement;
import io.nats.client.api.StreamConfiguration;
import io.postrider.Postrider;
import io.postrider.ReceiveOptions;
import io.postrider.Receiving;
import io.postrider.destination.Source.Arrival;
import io.postrider.memory.MemoryStore;
import io.postrider.memory.MemoryTransaction;
import io.postrider.tck.Eventually;
import io.postrider.tck.server.NatsServer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A message without an id is known by where it lies and since when: another one in the same place is another one. */
final class PlaceTest {
    private static final Duration LONG = Duration.ofSeconds(60);
    private static final ReceiveOptions SOON = ReceiveOptions.DEFAULT
            .pullWait(Duration.ofMillis(100))
            .backoff(Duration.ofMillis(50), Duration.ofMillis(200));

    @TempDir
    Path folder;

    private final List<String> handled = new CopyOnWriteArrayList<>();
    private NatsServer server;
    private Connection connection;
    private JetStreamSource source;
    private Postrider<MemoryTransaction> node;

    @BeforeEach
    void start() throws Exception {
        server = NatsServer.in(folder).start();
        connection = Patiently.connect(server);
        makeStream();
        source = JetStreamSource.open(JetStreamSourceConfig.of(Patiently.servers(server), "LETTERS", "inbox")
                .create(true)
                .inOrder(false));
        node = Postrider.on(MemoryStore.create());
    }

    @AfterEach
    void stop() throws Exception {
        node.close();
        source.close();
        connection.close();
        server.close();
    }

    private void makeStream() throws Exception {
        JetStreamManagement management = connection.jetStreamManagement();
        if (management.getStreamNames().contains("LETTERS")) {
            management.deleteStream("LETTERS");
        }
        management.addStream(StreamConfiguration.builder()
                .name("LETTERS")
                .subjects("letter.>")
                .build());
    }

    private void publish(String body) throws Exception {
        assertThat(connection
                        .jetStream()
                        .publish("letter.sent", body.getBytes(StandardCharsets.UTF_8))
                        .getSeqno())
                .isEqualTo(1);
    }

    private void awaitHandled(String... bodies) {
        new Eventually(LONG).holds(() -> assertThat(handled).containsExactly(bodies));
    }

    @Test
    void what_lies_where_another_message_lay_in_a_stream_made_anew_is_received_too() throws Exception {
        node.subscribe("letters")
                .on("letter.*", (payload, context) -> handled.add(payload))
                .start();
        Receiving receiving = node.receive(source, SOON);
        publish("1");
        awaitHandled("1");
        makeStream();
        publish("2");
        awaitHandled("1", "2");
        assertThat(receiving.status().repeated()).isZero();
    }

    @Test
    void what_lies_where_another_message_lay_in_a_stream_made_anew_is_handled_by_a_consumer_too() throws Exception {
        node.consume("letters", source)
                .options(SOON)
                .onTransaction("letter.*", (transaction, payload, context) -> handled.add(payload))
                .start();
        publish("1");
        awaitHandled("1");
        makeStream();
        publish("2");
        awaitHandled("1", "2");
    }

    @Test
    void a_message_that_comes_again_is_known_by_its_place() throws Exception {
        publish("1");
        Arrival first = source.pull(1, LONG).get(0);
        assertThat(first.incoming().id()).isEqualTo("LETTERS:1");
        node.inbox().receive(source.name(), List.of(first.incoming()));
        first.nak(Duration.ZERO);
        Receiving receiving = node.receive(source, SOON);
        new Eventually(LONG).holds(() -> {
            assertThat(receiving.status().done()).isEqualTo(1);
            assertThat(receiving.status().repeated()).isEqualTo(1);
        });
    }
}
