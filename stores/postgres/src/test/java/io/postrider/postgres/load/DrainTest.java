package io.postrider.postgres.load;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.postrider.embedded.EmbeddedPostgres;
import io.postrider.postgres.PostgresStore;
import io.postrider.postgres.PostgresStoreConfig;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Many events in a small heap, while a session holds a snapshot that keeps every dead tuple alive: where an engine
 * updates or deletes a row per event, it gets slower and slower here.
 */
class DrainTest {
    private static final int LATE_KEYS = 200;
    private static final int OTHER_KEYS = 800;
    private static final int KEYS = LATE_KEYS + OTHER_KEYS;
    private static final int ARRIVED_BEFORE_LATE_COMMIT = DrainNode.STEP;
    private static final long DEAD_TUPLES_MAX = 1_000;

    @TempDir
    Path folder;

    @Test
    void two_hundred_thousand_events_drain_in_order_and_leave_no_dead_tuples_although_a_snapshot_is_held()
            throws Exception {
        drain(200, 0);
    }

    @Test
    @Tag("heavy")
    void a_million_events_drain_at_an_even_rate_and_leave_no_dead_tuples_although_a_snapshot_is_held()
            throws Exception {
        assertEvenRate(drain(1_000, 200_000));
    }

    /** Drains so many events of each key. */
    private DrainLedger.Arrivals drain(int keyEvents, int warmUpEvents) throws Exception {
        try (EmbeddedPostgres server = EmbeddedPostgres.temporary(Map.of());
                HikariDataSource pool = Database.of(server).pool(4)) {
            prepare(pool, warmUpEvents);
            try (Connection holder = begin(pool);
                    Connection late = begin(pool)) {
                holdSnapshot(holder);
                execute(late, "SELECT pg_current_xact_id()");
                append(pool, 0, keyEvents / 2);
                append(late, "postrider", OTHER_KEYS, LATE_KEYS, 0, keyEvents);
                append(pool, keyEvents / 2, keyEvents);
                DrainLedger.Arrivals arrivals = drain(Database.of(server), late, KEYS * keyEvents, warmUpEvents);
                assertInOrder(arrivals, keyEvents);
                judge(deadTuples(pool));
                return arrivals;
            }
        }
    }

    private DrainLedger.Arrivals drain(Database database, Connection late, int events, int warmUpEvents)
            throws Exception {
        Path ledger = folder.resolve("arrivals");
        List<String> options = List.of("-Xmx256m", "-D" + DrainNode.WARM_UP + "=" + warmUpEvents);
        try (NodeProcess node = NodeProcess.start(DrainNode.class, database, options, ledger)) {
            node.awaitLine(Integer.toString(ARRIVED_BEFORE_LATE_COMMIT));
            late.commit();
            node.awaitLine(Integer.toString(events));
            node.stop();
        }
        return DrainLedger.read(ledger);
    }

    private static void assertInOrder(DrainLedger.Arrivals arrivals, int keyEvents) {
        assertThat(arrivals.count()).as("arrivals").isEqualTo(KEYS * keyEvents);
        int[] next = new int[KEYS];
        for (int i = 0; i < arrivals.count(); i++) {
            assertThat(arrivals.sequences()[i])
                    .as("the next event of key %d", arrivals.keys()[i])
                    .isEqualTo(next[arrivals.keys()[i]]++);
        }
        assertThat(next).as("events of each key").containsOnly(keyEvents);
    }

    private static void assertEvenRate(DrainLedger.Arrivals arrivals) {
        int tenth = arrivals.count() / 10;
        double first = arrivals.rate(0, tenth);
        double last = arrivals.rate(arrivals.count() - tenth, arrivals.count() - 1);
        System.out.printf("%d events, per second in each tenth: %s%n", arrivals.count(), tenths(arrivals));
        assertThat(last)
                .as("events per second in the last tenth; a warmed-up JVM drained the first tenth at %.0f/s", first)
                .isGreaterThanOrEqualTo(0.9 * first);
    }

    private static List<Long> tenths(DrainLedger.Arrivals arrivals) {
        int tenth = arrivals.count() / 10;
        return IntStream.range(0, 10)
                .mapToObj(i -> Math.round(arrivals.rate(i * tenth, (i + 1) * tenth - 1)))
                .toList();
    }

    private static void judge(Map<String, Long> deadTuples) {
        System.out.println("dead tuples: " + deadTuples);
        assertThat(deadTuples)
                .containsKeys("event_log_1", "event_log_rest", "settlement_1", "lane", "node", "delivery");
        deadTuples.forEach((table, count) -> {
            if (table.startsWith("event_log_") || table.startsWith("settlement_")) {
                assertThat(count).as("dead tuples in %s", table).isZero();
            } else {
                assertThat(count).as("dead tuples in %s", table).isLessThan(DEAD_TUPLES_MAX);
            }
        });
    }

    private static Map<String, Long> deadTuples(DataSource dataSource) throws SQLException {
        String sql = """
                SELECT c.relname, (pgstattuple(c.oid)).dead_tuple_count
                FROM pg_class c WHERE c.relnamespace = 'postrider'::regnamespace AND c.relkind = 'r'
                  AND c.relname NOT LIKE '%history'
                """;
        Map<String, Long> counts = new TreeMap<>();
        try (Connection connection = dataSource.getConnection();
                var statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            while (row.next()) {
                counts.put(row.getString(1), row.getLong(2));
            }
        }
        return counts;
    }

    private static void prepare(DataSource dataSource, int warmUpEvents) throws SQLException {
        PostgresStore.of(dataSource);
        PostgresStore.of(dataSource, PostgresStoreConfig.DEFAULT.schema(DrainNode.WARM_UP_SCHEMA));
        try (Connection connection = dataSource.getConnection()) {
            execute(connection, "CREATE EXTENSION pgstattuple");
            append(connection, DrainNode.WARM_UP_SCHEMA, 0, 200, 0, warmUpEvents / 200);
        }
    }

    private static void append(DataSource dataSource, int from, int to) throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            append(connection, "postrider", 0, OTHER_KEYS, from, to);
        }
    }

    /** Appends these numbers of these keys, in their order. */
    private static void append(Connection connection, String schema, int firstKey, int keys, int from, int to)
            throws SQLException {
        String sql = """
                INSERT INTO %1$s.event_log (id, type, key, payload, headers, lane, bytes)
                SELECT gen_random_uuid(), ?, 'key-' || k.key, p.payload, '{}', k.lane, octet_length(p.payload::text)
                FROM generate_series(?, ?) AS s (sequence)
                CROSS JOIN (
                    SELECT key, %1$s.lane_of('key-' || key, NULL) AS lane FROM generate_series(?, ?) AS g (key)
                ) k
                CROSS JOIN LATERAL (
                    SELECT json_build_object('key', k.key, 'sequence', s.sequence, 'filler', repeat('x', 260))
                ) p (payload)
                ORDER BY s.sequence
                """.formatted(schema);
        try (PreparedStatement insert = connection.prepareStatement(sql)) {
            insert.setString(1, DrainNode.TYPE);
            insert.setInt(2, from);
            insert.setInt(3, to - 1);
            insert.setInt(4, firstKey);
            insert.setInt(5, firstKey + keys - 1);
            insert.executeUpdate();
        }
    }

    private static Connection begin(DataSource dataSource) throws SQLException {
        Connection connection = dataSource.getConnection();
        connection.setAutoCommit(false);
        return connection;
    }

    private static void holdSnapshot(Connection connection) throws SQLException {
        execute(connection, "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ");
        execute(connection, "SELECT pg_current_xact_id(), count(*) FROM postrider.outbox");
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (var statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
