package io.postrider.postgres.load;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.postrider.EventFilter;
import io.postrider.EventId;
import io.postrider.embedded.EmbeddedPostgres;
import io.postrider.operate.Audit;
import io.postrider.operate.Audit.Action;
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
import java.nio.file.Files;
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
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A bulk replay from beginning to end: it is previewed, stopped by its canary while the handler still fails, cancelled,
 * and carried out once the handler is mended, by a node that is killed half-way and by the one that replaces it.
 */
class BulkReplayTest {
    private static final int KEYS = 500;
    private static final int CANARY = 20;
    private static final Target ALL = Target.dead(DeliveryNode.SUBSCRIPTION);
    private static final By ANN = new By("ann", "ticket 7");
    private static final Duration PATIENCE = Duration.ofMinutes(5);

    @TempDir
    Path folder;

    private int nodes;
    private EmbeddedPostgres server;
    private HikariDataSource pool;
    private PostgresStore store;

    @BeforeEach
    void open() {
        server = EmbeddedPostgres.temporary(Map.of());
        pool = Database.of(server).pool(4);
        store = PostgresStore.of(pool);
        store.subscriptions().register(DeliveryNode.SUBSCRIPTION, Start.beginning(), NumberedEvent.TYPE);
    }

    @AfterEach
    void close() {
        pool.close();
        server.close();
    }

    @Test
    void ten_thousand_dead_letters_are_replayed_in_order_whatever_happens_on_the_way() throws Exception {
        replay(10_000);
    }

    @Test
    @Tag("heavy")
    void a_hundred_thousand_dead_letters_are_replayed_in_order_whatever_happens_on_the_way() throws Exception {
        replay(100_000);
    }

    private void replay(int dead) throws Exception {
        bury(pool, dead);
        previewIsRight(dead);
        try (NodeProcess victim = startNode()) {
            canaryStops(dead);
            cancelWorks(dead);
            Operation operation = start(Pace.UNLIMITED.canary(CANARY, 0));
            Files.createFile(folder.resolve(BulkNode.MENDED));
            long began = System.nanoTime();
            Eventually.holds(
                    PATIENCE,
                    () -> assertThat(find(operation).progress().done()).isGreaterThan(dead / 10));
            victim.kill();
            assertThat(find(operation).state()).as("killed on the way").isEqualTo(State.RUNNING);
            try (NodeProcess next = startNode()) {
                resumes(operation, dead);
                System.out.printf("%d dead letters replayed, over a kill, in %d ms%n", dead, millisSince(began));
                next.stop();
            }
            judge(arrivals(), dead);
            auditTellsTheStory(operation, dead);
        }
    }

    private static long millisSince(long nanos) {
        return Duration.ofNanos(System.nanoTime() - nanos).toMillis();
    }

    // ---- the steps --------------------------------------------------------------------------------------------------

    private void previewIsRight(int dead) {
        long began = System.nanoTime();
        assertThat(store.operations().preview(ALL, 3).count()).isEqualTo(dead);
        System.out.printf("preview of %d: %d ms%n", dead, millisSince(began));
        assertThat(store.operations().preview(ALL, 3).sample()).hasSize(3);
        assertThat(count(ALL.filter(EventFilter.ALL.key("key-7")))).isEqualTo(dead / KEYS);
        assertThat(count(ALL.filter(EventFilter.ALL.tenant("acme")))).isEqualTo(dead / 2);
        assertThat(count(ALL.errorContains("refused"))).isEqualTo(dead);
        assertThat(store.operations().list(null, Long.MAX_VALUE, 10)).isEmpty();
    }

    private void canaryStops(int dead) {
        Operation operation = start(Pace.UNLIMITED.canary(CANARY, 2));
        assertEnds(operation, State.STOPPED_BY_CANARY);
        assertThat(find(operation).progress().done()).isEqualTo(CANARY);
        assertThat(find(operation).reasons()).anyMatch(reason -> reason.contains(BulkNode.UNREACHABLE));
        assertLedger(new Counts(0, 0, 0, dead, 0, 0));
    }

    private void cancelWorks(int dead) {
        Operation operation = start(Pace.UNLIMITED.perSecond(200));
        Eventually.holds(
                PATIENCE, () -> assertThat(find(operation).progress().done()).isPositive());
        assertThat(store.operations().cancel(operation.id(), ANN).done()).isTrue();
        long done = find(operation).progress().done();
        assertThat(done).isLessThan(dead);
        assertLedger(new Counts(0, 0, 0, dead, 0, 0));
        assertThat(find(operation).progress().done()).isEqualTo(done);
    }

    private void resumes(Operation operation, int dead) {
        assertEnds(operation, State.FINISHED);
        assertLedger(new Counts(dead, 0, 0, 0, 0, 0));
        assertThat(find(operation).progress()).isEqualTo(new Operation.Progress(dead, dead, 0, 0));
    }

    /** By key in order; a second time only what the killed node had not settled. */
    private static void judge(List<Arrival> arrivals, int dead) {
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
        System.out.printf("%d arrivals, %d of them a second time%n", arrivals.size(), arrivals.size() - seen.size());
        assertThat(seen).hasSize(dead);
        assertThat(arrivals.size() - dead).as("a second time").isLessThan(16 * 64);
    }

    private void auditTellsTheStory(Operation operation, int dead) throws IOException {
        List<Audit.Entry> all = store.audit().entries(Audit.Query.ALL, Long.MAX_VALUE, 100);
        assertThat(all)
                .extracting(Audit.Entry::action)
                .containsExactly(
                        Action.OPERATION_FINISHED,
                        Action.OPERATION_CANARY_PASSED,
                        Action.OPERATION_STARTED,
                        Action.OPERATION_CANCELLED,
                        Action.OPERATION_STARTED,
                        Action.OPERATION_STOPPED_BY_CANARY,
                        Action.OPERATION_STARTED);
        assertThat(all).allMatch(entry -> entry.by().equals(ANN));
        assertThat(all.get(0).details()).containsEntry("done", String.valueOf(dead));
        EventId first = new EventId(arrivals().get(0).event().id());
        assertThat(store.audit().entries(Audit.Query.ALL.event(first).operation(operation.id()), Long.MAX_VALUE, 10))
                .as("what the first event leads to")
                .hasSize(3);
    }

    // ---- what they do -----------------------------------------------------------------------------------------------

    private Operation start(Pace pace) {
        return store.operations().start(Kind.REPLAY, ALL, pace, ANN).orElseThrow();
    }

    private Operation find(Operation operation) {
        return store.operations().find(operation.id()).orElseThrow();
    }

    private long count(Target target) {
        return store.operations().preview(target, 0).count();
    }

    private void assertEnds(Operation operation, State state) {
        Eventually.holds(PATIENCE, () -> assertThat(find(operation).state()).isEqualTo(state));
    }

    private void assertLedger(Counts counts) {
        Eventually.holds(
                PATIENCE,
                () -> assertThat(store.browse().ledger(DeliveryNode.SUBSCRIPTION))
                        .isEqualTo(new Ledger(counts, 0)));
    }

    private NodeProcess startNode() throws IOException {
        NodeProcess node = NodeProcess.start(
                BulkNode.class, Database.of(server), List.of(), folder.resolve("arrivals-" + nodes++));
        node.awaitLine(DeliveryNode.READY);
        return node;
    }

    /** In the order of the processes, of which one began after the other had ended. */
    private List<Arrival> arrivals() throws IOException {
        List<Arrival> arrivals = new ArrayList<>();
        for (int node = 0; node < nodes; node++) {
            arrivals.addAll(ArrivalLedger.read(folder.resolve("arrivals-" + node)));
        }
        return arrivals;
    }

    /** Events that were read and buried: in the log, in a row each, and on the ledger. */
    private static void bury(DataSource pool, int dead) throws SQLException {
        execute(pool, """
                INSERT INTO postrider.event_log (id, type, key, payload, headers, tenant, lane, bytes)
                SELECT id, '%s', key, json_build_object('sequence', n), '{}',
                    CASE WHEN n %% 2 = 0 THEN 'acme' END, postrider.lane_of(key, id), 20
                FROM (SELECT n, postrider.draw_id() AS id, 'key-' || n %% %d AS key
                      FROM generate_series(1, %d) AS n OFFSET 0) AS made
                """.formatted(NumberedEvent.TYPE, KEYS, dead));
        execute(pool, """
                INSERT INTO postrider.delivery (subscription, lane, position, id, type, key, status, attempt, due_at,
                    suspect, error)
                SELECT '%s', lane, position, id, type, key, 'dead', 10, now(), false, 'connection refused'
                FROM postrider.event_log
                """.formatted(DeliveryNode.SUBSCRIPTION));
        execute(pool, """
                UPDATE postrider.settlement s SET reached = h.last, floor = h.last
                FROM (SELECT max(position) AS last FROM postrider.event_log) AS h
                """);
        execute(
                pool,
                "INSERT INTO postrider.tally (subscription, dead) VALUES ('%s', %d)"
                        .formatted(DeliveryNode.SUBSCRIPTION, dead));
        execute(pool, "ANALYZE postrider.delivery");
    }

    private static void execute(DataSource pool, String sql) throws SQLException {
        try (Connection connection = pool.getConnection();
                var statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
