package io.postrider.nats;

import static org.assertj.core.api.Assertions.assertThat;

import io.nats.client.Connection;
import io.nats.client.JetStreamManagement;
import io.nats.client.api.ConsumerInfo;
import io.nats.client.api.StreamConfiguration;
import io.nats.client.impl.Headers;
import io.postrider.Postrider;
import io.postrider.PostriderConfig;
import io.postrider.ReceiveOptions;
import io.postrider.memory.MemoryStore;
import io.postrider.memory.MemoryTransaction;
import io.postrider.observe.Observation;
import io.postrider.observe.Observer;
import io.postrider.tck.Eventually;
import io.postrider.tck.server.NatsServer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A stream that was put back to 80 messages, while its consumer was given 100: what comes then has their numbers. */
final class WentBackTest {
    private static final Duration LONG = Duration.ofSeconds(60);
    private static final ReceiveOptions SOON = ReceiveOptions.DEFAULT
            .pullWait(Duration.ofMillis(100))
            .backoff(Duration.ofMillis(50), Duration.ofMillis(200));

    @TempDir
    Path folder;

    private final MemoryStore store = MemoryStore.create();
    private final List<String> handled = new CopyOnWriteArrayList<>();
    private final List<Observation> observed = new CopyOnWriteArrayList<>();
    private NatsServer server;

    @SuppressWarnings("NullAway.Init") // nodes are started by the tests
    private JetStreamSource source;

    @SuppressWarnings("NullAway.Init")
    private Postrider<MemoryTransaction> node;

    /** The two ways to handle what comes from a source. */
    private enum Way {
        INBOX,
        DIRECT
    }

    @BeforeEach
    void start() throws Exception {
        server = NatsServer.in(folder).start();
        try (Connection connection = Patiently.connect(server)) {
            connection
                    .jetStreamManagement()
                    .addStream(StreamConfiguration.builder()
                            .name("LETTERS")
                            .subjects("letter.>")
                            .duplicateWindow(Duration.ofMillis(100))
                            .build());
        }
    }

    private void startNode(Way way) {
        source = JetStreamSource.open(JetStreamSourceConfig.of(Patiently.servers(server), "LETTERS", "inbox")
                .create(true)
                .ackWait(Duration.ofSeconds(2)));
        Observer observer = observed::add;
        node = Postrider.on(store, PostriderConfig.defaults().observer(observer));
        if (way == Way.INBOX) {
            node.subscribe("letters")
                    .on("letter.*", (payload, context) -> handled.add(payload))
                    .start();
            node.receive(source, SOON);
        } else {
            node.consume("letters", source)
                    .options(SOON)
                    .onTransaction("letter.*", (transaction, payload, context) -> handled.add(payload))
                    .start();
        }
    }

    private void stopNode() {
        node.close();
        source.close();
    }

    @AfterEach
    void stop() {
        stopNode();
        server.close();
    }

    @Test
    void what_is_published_when_the_source_is_back_already_is_received() throws Exception {
        giveHundredOfWhichTwentyAreLost(Way.INBOX);
        server.start();
        awaitUp();
        publish(numbers("new", 30));
        awaitHandledBeside(numbers("new", 30));
        assertTold();
    }

    @Test
    void what_was_published_before_the_source_is_back_is_received() throws Exception {
        giveHundredOfWhichTwentyAreLost(Way.INBOX);
        stopNode();
        server.start();
        publish(numbers("new", 30));
        startNode(Way.INBOX);
        awaitHandledBeside(numbers("new", 30));
        assertTold();
    }

    @Test
    void what_was_published_among_lost_messages_that_were_published_again_is_received() throws Exception {
        giveHundredOfWhichTwentyAreLost(Way.INBOX);
        stopNode();
        server.start();
        publish(numbers("new", 5));
        publish(numbers("lost", 20)); // so that one which was received before lies where the last one did
        startNode(Way.INBOX);
        awaitHandledBeside(numbers("new", 5));
        assertTold();
    }

    @Test
    void a_direct_consumer_handles_what_was_published_before_its_source_is_back() throws Exception {
        giveHundredOfWhichTwentyAreLost(Way.DIRECT);
        stopNode();
        server.start();
        publish(numbers("new", 5));
        publish(numbers("lost", 20));
        startNode(Way.DIRECT);
        awaitHandledBeside(numbers("new", 5));
        assertTold();
    }

    @Test
    void a_stream_that_went_back_once_is_told_once_however_often_the_source_connects() throws Exception {
        giveHundredOfWhichTwentyAreLost(Way.INBOX);
        server.start();
        awaitUp();
        server.process().stop();
        server.start();
        awaitUp();
        stopNode();
        startNode(Way.INBOX);
        publish(numbers("new", 3));
        awaitHandledBeside(numbers("new", 3));
        assertTold();
    }

    @Test
    void a_server_that_comes_back_as_it_was_is_not_said_to_have_gone_back() throws Exception {
        startNode(Way.INBOX);
        publish(numbers("kept", 80));
        awaitAcknowledged(80);
        server.process().stop();
        server.start();
        publish(numbers("new", 10));
        awaitHandled(Stream.of(numbers("kept", 80), numbers("new", 10)));
        assertThat(observed).noneMatch(Observation.SourceWentBack.class::isInstance);
    }

    private void giveHundredOfWhichTwentyAreLost(Way way) throws Exception {
        startNode(way);
        publish(numbers("kept", 80));
        awaitAcknowledged(80);
        server.process().stop();
        server.copyStorageTo(folder.resolve("copy"));
        server.start();
        publish(numbers("lost", 20));
        awaitAcknowledged(100);
        awaitHandledBeside(List.of());
        server.process().stop();
        server.putBackMessages(folder.resolve("copy"));
    }

    private void assertTold() {
        assertThat(observed.stream().filter(Observation.SourceWentBack.class::isInstance))
                .singleElement()
                .satisfies(told ->
                        assertThat(((Observation.SourceWentBack) told).source()).isEqualTo("jetstream/LETTERS/inbox"));
    }

    private static List<String> numbers(String what, int count) {
        return IntStream.range(0, count)
                .mapToObj(number -> "\"" + what + " " + number + "\"")
                .toList();
    }

    private void publish(List<String> letters) throws Exception {
        try (Connection connection = Patiently.connect(server)) {
            for (String letter : letters) {
                connection
                        .jetStream()
                        .publish(
                                "letter.sent",
                                new Headers().put("id", letter),
                                letter.getBytes(StandardCharsets.UTF_8));
            }
        }
    }

    private void awaitUp() {
        new Eventually(LONG)
                .holds(() -> assertThat(observed.stream().filter(Observation.SourceUp.class::isInstance))
                        .hasSameSizeAs(observed.stream()
                                .filter(Observation.SourceDown.class::isInstance)
                                .toList())
                        .isNotEmpty());
    }

    private void awaitAcknowledged(long sequence) {
        new Eventually(LONG).holds(() -> {
            try (Connection connection = Patiently.connect(server)) {
                JetStreamManagement management = connection.jetStreamManagement();
                ConsumerInfo consumer = management.getConsumerInfo("LETTERS", "inbox");
                assertThat(consumer.getAckFloor().getStreamSequence()).isEqualTo(sequence);
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        });
    }

    private void awaitHandledBeside(List<String> more) {
        awaitHandled(Stream.of(numbers("kept", 80), numbers("lost", 20), more));
    }

    private void awaitHandled(Stream<List<String>> letters) {
        List<String> all = letters.flatMap(List::stream).toList();
        new Eventually(LONG).holds(() -> assertThat(handled).containsExactlyInAnyOrderElementsOf(all));
    }
}
