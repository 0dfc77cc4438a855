package io.postrider.nats;

import static io.postrider.nats.Letters.dispatch;
import static io.postrider.nats.Letters.letters;
import static org.assertj.core.api.Assertions.assertThat;

import io.nats.client.Connection;
import io.nats.client.JetStreamManagement;
import io.nats.client.Nats;
import io.nats.client.Options;
import io.postrider.StoredEvent;
import io.postrider.destination.Outcome;
import io.postrider.tck.Eventually;
import io.postrider.tck.server.NatsServer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Three servers, each message on all of them: the leader of the stream may go while events are under way. */
final class ClusterTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int BATCHES = 60;
    private static final int KILLED_AFTER = 20;

    @TempDir
    Path folder;

    private List<NatsServer> servers;
    private JetStreamDestination destination;

    @BeforeEach
    void start() {
        servers = NatsServer.cluster(folder, 3);
        servers.forEach(NatsServer::start);
        JetStreamConfig config = JetStreamConfig.of(
                        new Servers(urls(), "cluster", Security.none(), Duration.ofSeconds(5)))
                .ackTimeout(Duration.ofSeconds(5))
                .streams(Streams.create(StreamSpec.of("LETTERS", "letter.>").replicas(3)));
        destination = new Eventually(PATIENCE, Duration.ofMillis(200)).gives(() -> started(config));
    }

    /** A cluster that has no leader yet refuses to make a stream, in several ways. */
    private static JetStreamDestination started(JetStreamConfig config) {
        try {
            JetStreamDestination started = JetStreamDestination.start(config);
            Letters.answer(started.probe());
            return started;
        } catch (IllegalStateException | CompletionException e) {
            throw new AssertionError(e);
        }
    }

    private List<String> urls() {
        return servers.stream().map(NatsServer::url).toList();
    }

    @AfterEach
    void stop() {
        destination.close();
        servers.forEach(NatsServer::close);
    }

    @Test
    void nothing_is_lost_when_the_leader_of_the_stream_is_killed_during_load() throws Exception {
        List<StoredEvent> sent = new ArrayList<>();
        for (int batch = 0; batch < BATCHES; batch++) {
            if (batch == KILLED_AFTER) {
                killLeader();
            }
            List<StoredEvent> events = letters("letter.sent", 50);
            deliver(events);
            sent.addAll(events);
        }
        assertThat(stored())
                .containsAll(sent.stream().map(event -> event.id().toString()).toList());
        assertThat(stored()).hasSameSizeAs(sent);
    }

    /** Does what the engine does: what is down is dispatched again after a probe. */
    private void deliver(List<StoredEvent> events) {
        List<StoredEvent> left = new ArrayList<>(events);
        new Eventually(PATIENCE, Duration.ofMillis(50)).holds(() -> {
            List<Outcome> outcomes = dispatch(destination, List.copyOf(left));
            assertThat(outcomes)
                    .allSatisfy(outcome ->
                            assertThat(outcome).isInstanceOfAny(Outcome.Delivered.class, Outcome.Down.class));
            for (int i = outcomes.size() - 1; i >= 0; i--) {
                if (outcomes.get(i).isDelivered()) {
                    left.remove(i);
                }
            }
            if (!left.isEmpty()) {
                destination
                        .probe()
                        .toCompletableFuture()
                        .exceptionally(stillDown -> null)
                        .join();
            }
            assertThat(left).isEmpty();
        });
    }

    private void killLeader() throws Exception {
        String leader = manage(management ->
                management.getStreamInfo("LETTERS").getClusterInfo().getLeader());
        servers.stream()
                .filter(server -> server.storage().toString().contains("/" + leader + "/"))
                .forEach(server -> server.process().kill());
        assertThat(servers).filteredOn(server -> server.process().isRunning()).hasSize(2);
    }

    private List<String> stored() throws Exception {
        return manage(management -> {
            long last = management.getStreamInfo("LETTERS").getStreamState().getLastSequence();
            Set<String> ids = new HashSet<>();
            for (long sequence = 1; sequence <= last; sequence++) {
                ids.add(String.valueOf(
                        management.getMessage("LETTERS", sequence).getHeaders().getFirst("Nats-Msg-Id")));
            }
            return List.copyOf(ids);
        });
    }

    private <R> R manage(Question<R> question) throws Exception {
        Options options = new Options.Builder()
                .servers(urls().toArray(new String[0]))
                .connectionTimeout(PATIENCE)
                .build();
        try (Connection connection = Nats.connect(options)) {
            return question.ask(connection.jetStreamManagement());
        }
    }

    /** Something to ask the cluster. */
    private interface Question<R> {
        R ask(JetStreamManagement management) throws Exception;
    }
}
