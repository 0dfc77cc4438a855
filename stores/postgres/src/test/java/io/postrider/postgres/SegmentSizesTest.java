package io.postrider.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.Event;
import io.postrider.Postrider;
import io.postrider.operate.Counts;
import io.postrider.operate.Ledger;
import io.postrider.policy.Start;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Nodes that want segments of different sizes, as during a deployment that changes it, share a log all the same. */
class SegmentSizesTest {
    private static final int ROUNDS = 8;
    private static final int EVENTS = 100;

    private final TestDatabase database = TestDatabase.prepared();
    private final Map<String, Integer> delivered = new ConcurrentHashMap<>();

    @AfterEach
    void close() {
        database.close();
    }

    @Test
    void nodes_of_different_segment_sizes_lose_nothing_and_leave_no_event_without_a_segment() throws Exception {
        PostgresStore small =
                PostgresStore.of(database.dataSource(), database.config().segmentSize(50));
        PostgresStore large =
                PostgresStore.of(database.dataSource(), database.config().segmentSize(400));
        small.subscriptions().register("all", Start.beginning(), "many.*");
        try (Postrider<Connection> one = node(small);
                Postrider<Connection> other = node(large)) {
            for (int round = 0; round < ROUNDS; round++) {
                append(round % 2 == 0 ? one : other, round);
                small.prune().prune(Duration.ofDays(1));
                append(round % 2 == 0 ? other : one, ROUNDS + round);
                large.prune().prune(Duration.ofDays(1));
            }
            Eventually.holds(
                    Duration.ofSeconds(60),
                    () -> assertThat(small.browse().ledger("all"))
                            .isEqualTo(new Ledger(new Counts(2 * ROUNDS * EVENTS, 0, 0, 0, 0, 0), 0)));
        }
        assertThat(delivered).hasSize(2 * ROUNDS * EVENTS);
        assertThat(database.number("SELECT count(*) FROM {event_log_rest}")).isZero();
        assertThat(large.prune().prune(Duration.ZERO).dropped()
                        + small.prune().prune(Duration.ZERO).dropped())
                .as("segments of both sizes")
                .isPositive();
    }

    private Postrider<Connection> node(PostgresStore store) {
        Postrider<Connection> node = Postrider.on(store);
        node.subscribe("all")
                .on("many.*", (payload, context) -> delivered.merge(payload, 1, Integer::sum))
                .start();
        return node;
    }

    private static void append(Postrider<Connection> node, int round) throws Exception {
        List<Event> events = IntStream.range(0, EVENTS)
                .mapToObj(
                        number -> Event.of("many.sent", round * EVENTS + number).key("k" + number % 7))
                .toList();
        node.transaction(connection -> node.outbox().append(connection, events));
    }
}
