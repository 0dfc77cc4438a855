package io.postrider.postgres.load;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.postrider.embedded.EmbeddedPostgres;
import io.postrider.operate.By;
import io.postrider.operate.Counts;
import io.postrider.operate.Ledger;
import io.postrider.operate.Operation;
import io.postrider.operate.Operation.Kind;
import io.postrider.operate.Operation.Pace;
import io.postrider.operate.Operation.State;
import io.postrider.operate.Operation.Target;
import io.postrider.policy.Start;
import io.postrider.postgres.Eventually;
import io.postrider.postgres.PostgresStore;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A replay of delivered events whose node is killed half-way: the next one leaves nothing out and repeats no chunk. */
class RedeliveryCrashTest {
    private static final int EVENTS = 4_000;
    private static final int KEYS = 500;
    private static final Target ALL = Target.delivered(DeliveryNode.SUBSCRIPTION);
    private static final Duration PATIENCE = Duration.ofMinutes(5);

    @TempDir
    Path folder;

    private int nodes;
    private EmbeddedPostgres server;
    private HikariDataSource pool;
    private PostgresStore store;

    @BeforeEach
    void open() throws SQLException {
        server = EmbeddedPostgres.temporary(Map.of());
        pool = Database.of(server).pool(4);
        store = PostgresStore.of(pool);
        store.subscriptions().register(DeliveryNode.SUBSCRIPTION, Start.beginning(), NumberedEvent.TYPE);
        deliver();
    }

    @AfterEach
    void close() {
        pool.close();
        server.close();
    }

    @Test
    void four_thousand_delivered_events_come_again_in_order_although_a_node_is_killed() throws Exception {
        long began = System.nanoTime();
        assertThat(store.operations().preview(ALL, 3).count()).isEqualTo(EVENTS);
        System.out.printf("preview of %d: %d ms%n", EVENTS, (System.nanoTime() - began) / 1_000_000);
        Operation operation = store.operations()
                .start(Kind.REPLAY, ALL, Pace.UNLIMITED.perSecond(1_000).canary(20, 0), new By("ann", "ticket 8"))
                .orElseThrow();
        try (NodeProcess victim = startNode()) {
            Eventually.holds(
                    PATIENCE,
                    () -> assertThat(find(operation).progress().done()).isGreaterThan(EVENTS / 10));
            victim.kill();
        }
        assertThat(find(operation).state()).as("killed on the way").isEqualTo(State.RUNNING);
        try (NodeProcess next = startNode()) {
            Eventually.holds(PATIENCE, () -> assertThat(find(operation).state()).isEqualTo(State.FINISHED));
            Counts all = new Counts(EVENTS, 0, 0, 0, 0, 0);
            Eventually.holds(
                    PATIENCE,
                    () -> assertThat(store.browse().ledger(DeliveryNode.SUBSCRIPTION))
                            .isEqualTo(new Ledger(all, 0)));
            next.stop();
        }
        assertThat(find(operation).progress()).isEqualTo(new Operation.Progress(EVENTS, EVENTS, 0, 0));
        judge();
    }

    /** By key in order; a second time only what the killed node had not settled. */
    private void judge() throws IOException {
        List<Arrival> arrivals = new ArrayList<>();
        for (int node = 0; node < nodes; node++) {
            arrivals.addAll(ArrivalLedger.read(folder.resolve("arrivals-" + node)));
        }
        Map<String, Long> last = new HashMap<>();
        Set<UUID> seen = new HashSet<>();
        for (Arrival arrival : arrivals) {
            if (seen.add(arrival.event().id())) {
                Long before = last.put(arrival.event().key(), arrival.event().sequence());
                assertThat(before == null || before < arrival.event().sequence())
                        .as("%s came after %s of its key", arrival, before)
                        .isTrue();
            }
        }
        assertThat(seen).hasSize(EVENTS);
        assertThat(arrivals.size() - EVENTS).as("a second time").isLessThan(16 * 64);
    }

    private Operation find(Operation operation) {
        return store.operations().find(operation.id()).orElseThrow();
    }

    private NodeProcess startNode() throws IOException {
        NodeProcess node = NodeProcess.start(
                DeliveryNode.class, Database.of(server), List.of(), folder.resolve("arrivals-" + nodes++));
        node.awaitLine(DeliveryNode.READY);
        return node;
    }

    /** Events that were read and delivered: in the log, behind the cursors, and on the ledger. */
    private void deliver() throws SQLException {
        execute("""
                INSERT INTO postrider.event_log (id, type, key, payload, headers, lane, bytes)
                SELECT id, '%s', key, json_build_object('sequence', n), '{}', postrider.lane_of(key, id), 20
                FROM (SELECT n, postrider.draw_id() AS id, 'key-' || n %% %d AS key
                      FROM generate_series(1, %d) AS n OFFSET 0) AS made
                """.formatted(NumberedEvent.TYPE, KEYS, EVENTS));
        execute("""
                INSERT INTO postrider.settlement (subscription, lane, epoch, number, reached, snapshot, bound, floor,
                    delivered, skipped, parked, dead, expired, discarded)
                SELECT l.subscription, l.lane, l.epoch, 1, h.last, pg_current_snapshot(), pg_current_xact_id(), h.last,
                    (SELECT count(*) FROM postrider.event_log o WHERE o.lane = l.lane), 0, 0, 0, 0, 0
                FROM postrider.lane l, (SELECT max(position) AS last FROM postrider.event_log) AS h
                """);
    }

    private void execute(String sql) throws SQLException {
        try (Connection connection = pool.getConnection();
                var statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
