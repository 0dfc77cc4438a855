package io.postrider.nats;

import static org.assertj.core.api.Assertions.assertThat;

import io.nats.client.Connection;
import io.nats.client.JetStreamManagement;
import io.nats.client.api.MessageInfo;
import io.postrider.Event;
import io.postrider.EventId;
import io.postrider.Postrider;
import io.postrider.PostriderConfig;
import io.postrider.memory.MemoryStore;
import io.postrider.memory.MemoryTransaction;
import io.postrider.operate.Counts;
import io.postrider.operate.Ledger;
import io.postrider.policy.NodeLimits;
import io.postrider.tck.Eventually;
import io.postrider.tck.server.NatsServer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** From the log to a real server that loses what it has acknowledged: in the end nothing is missing. */
final class LostTailTest {
    private static final int HALF = 300;
    private static final int KEYS = 20;
    private static final int FOREIGN = 50;

    @TempDir
    Path folder;

    private final MemoryStore store = MemoryStore.create();
    private final List<Event> events = IntStream.range(0, 2 * HALF)
            .mapToObj(number ->
                    Event.of("letter.sent", number).key("key-" + number % KEYS).id(new EventId(UUID.randomUUID())))
            .toList();
    private NatsServer server;
    private JetStreamDestination destination;
    private Postrider<MemoryTransaction> node;

    @BeforeEach
    void start() {
        server = NatsServer.in(folder).start();
        startNode();
    }

    private void startNode() {
        destination = JetStreamDestination.start(JetStreamConfig.of(Servers.at(server.url()))
                .window(100)
                .ackTimeout(Duration.ofSeconds(2))
                .streams(Streams.create(StreamSpec.of("LETTERS", "letter.>"))));
        NodeLimits limits = NodeLimits.builder()
                .pollMin(Duration.ofMillis(2))
                .pollMax(Duration.ofMillis(20))
                .backoffMax(Duration.ofMillis(200))
                .build();
        node = Postrider.on(store, PostriderConfig.defaults().limits(limits));
        node.subscribe("letters").to("**", destination).start();
    }

    private void stopNode() {
        node.close();
        destination.close();
    }

    @AfterEach
    void stop() {
        stopNode();
        server.close();
    }

    @Test
    void what_the_server_lost_during_an_outage_is_published_again() throws Exception {
        deliverAllWithACopyInTheMiddle();
        server.process().kill();
        server.putBackStorage(folder.resolve("copy"));
        server.start();
        assertNothingMissing();
    }

    @Test
    void what_the_server_lost_is_published_again_although_others_have_its_numbers() throws Exception {
        deliverAllWithACopyInTheMiddle();
        stopNode();
        server.process().kill();
        server.putBackStorage(folder.resolve("copy"));
        server.start();
        try (Connection connection = Patiently.connect(server)) {
            for (int i = 0; i < FOREIGN; i++) {
                connection.jetStream().publish("letter.foreign", new byte[0]);
            }
        }
        startNode();
        assertNothingMissing();
    }

    private void deliverAllWithACopyInTheMiddle() throws Exception {
        append(events.subList(0, HALF));
        assertDelivered(HALF);
        server.process().stop();
        server.copyStorageTo(folder.resolve("copy"));
        server.start();
        append(events.subList(HALF, 2 * HALF));
        assertDelivered(2 * HALF);
    }

    private void append(List<Event> some) throws Exception {
        for (int from = 0; from < some.size(); from += 10) {
            List<Event> few = some.subList(from, from + 10);
            node.transaction(transaction -> node.outbox().append(transaction, few));
        }
    }

    private static Eventually eventually() {
        return new Eventually(Duration.ofSeconds(60), Duration.ofMillis(50));
    }

    private void assertDelivered(int count) {
        eventually()
                .holds(() -> assertThat(store.browse().ledger("letters"))
                        .isEqualTo(new Ledger(new Counts(count, 0, 0, 0, 0, 0), 0)));
    }

    private void assertNothingMissing() {
        Map<String, Event> byId =
                events.stream().collect(Collectors.toMap(event -> String.valueOf(event.id()), event -> event));
        eventually().holds(() -> assertThat(stored()).containsAll(byId.keySet()));
        assertDelivered(2 * HALF);
        Map<String, List<Event>> byKey = stored().stream()
                .filter(byId::containsKey)
                .map(byId::get)
                .collect(Collectors.groupingBy(event -> String.valueOf(event.key())));
        byKey.forEach((key, order) -> assertThat(order).isEqualTo(ofKey(key)));
    }

    private List<Event> ofKey(String key) {
        return events.stream().filter(event -> key.equals(event.key())).toList();
    }

    /** The ids in the stream, in its order. */
    private List<String> stored() {
        try (Connection connection = Patiently.connect(server)) {
            JetStreamManagement management = connection.jetStreamManagement();
            long last = management.getStreamInfo("LETTERS").getStreamState().getLastSequence();
            List<String> ids = new ArrayList<>();
            for (long sequence = 1; sequence <= last; sequence++) {
                MessageInfo message = management.getMessage("LETTERS", sequence);
                ids.add(
                        message.getHeaders() == null
                                ? "foreign"
                                : String.valueOf(message.getHeaders().getFirst("Nats-Msg-Id")));
            }
            return ids;
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }
}
