package io.postrider.postgres.load;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.postrider.embedded.EmbeddedPostgres;
import io.postrider.policy.Start;
import io.postrider.postgres.PostgresStore;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A node in a small heap among many scheduled events: it starts, delivers what is due and what is new, and keeps back
 * what follows a scheduled event of its key.
 */
class ScheduledTest {
    private static final int SOME = 200_000;
    private static final int MANY = 10_000_000;
    /** Of a heap in which not even {@link #SOME} rows would have room, at about 540 bytes each. */
    private static final String HEAP = "-Xmx64m";

    private static final int FOLLOWERS = 16;
    private static final Duration START_MAX = Duration.ofSeconds(5);
    private static final long GROWTH_MAX = 8 << 20;

    @TempDir
    Path folder;

    @Test
    void more_scheduled_events_than_its_heap_could_hold_do_not_disturb_a_node() throws Exception {
        measured(SOME);
    }

    @Test
    @Tag("heavy")
    void ten_million_scheduled_events_cost_no_memory_and_hardly_any_time_to_start() throws Exception {
        ScheduledNode.Measured some = measured(SOME);
        ScheduledNode.Measured many = measured(MANY);
        assertThat(many.start()).isLessThan(START_MAX);
        assertThat(many.heapBytes() - some.heapBytes()).isLessThan(GROWTH_MAX);
    }

    private ScheduledNode.Measured measured(int scheduled) throws Exception {
        Map<String, String> settings =
                Map.of("fsync", "off", "maintenance_work_mem", "256MB", "max_wal_size", "8GB", "autovacuum", "off");
        try (EmbeddedPostgres server = EmbeddedPostgres.temporary(settings);
                HikariDataSource pool = Database.of(server).pool(2)) {
            PostgresStore store = PostgresStore.of(pool);
            store.subscriptions().register(ScheduledNode.SUBSCRIPTION, Start.beginning(), ScheduledNode.TYPE);
            execute(pool, "SELECT setval('postrider.event_position', %d)".formatted(scheduled));
            store.prune().prune(Duration.ofDays(1)); // makes the segment of these positions
            fill(pool, scheduled);
            Path file = folder.resolve(Integer.toString(scheduled));
            try (NodeProcess node = NodeProcess.start(ScheduledNode.class, Database.of(server), List.of(HEAP), file)) {
                node.awaitLine(ScheduledNode.DONE);
                node.stop();
            }
            assertThat(number(pool, "SELECT count(*) FROM postrider.delivery WHERE behind"))
                    .as("events that wait behind scheduled ones of their keys")
                    .isEqualTo(FOLLOWERS);
            ScheduledNode.Measured measured = ScheduledNode.Measured.read(file);
            System.out.printf(
                    "%,d scheduled events: start %d ms, heap %,d bytes%n",
                    scheduled, measured.start().toMillis(), measured.heapBytes());
            return measured;
        }
    }

    /** Rows that are due are half of what a node delivers; the other half, and what has to wait, is new in the log. */
    private static void fill(DataSource pool, int scheduled) throws SQLException {
        int due = ScheduledNode.DELIVERED / 2;
        append(pool, "'due-' || n", due);
        execute(pool, """
                INSERT INTO postrider.delivery (subscription, lane, position, id, type, key, status, attempt, due_at,
                    suspect)
                SELECT '%s', lane, position, id, type, key, 'waiting', 0, now(), false FROM postrider.event_log
                """.formatted(ScheduledNode.SUBSCRIPTION));
        execute(pool, """
                UPDATE postrider.settlement s SET reached = h.last, floor = h.last
                FROM (SELECT max(position) AS last FROM postrider.event_log) AS h
                """);
        withoutIndexes(pool, () -> schedule(pool, scheduled));
        append(pool, "'new-' || n", due);
        append(pool, "'later-' || n", FOLLOWERS);
        execute(
                pool,
                "INSERT INTO postrider.tally (subscription, parked) VALUES ('%s', %d)"
                        .formatted(ScheduledNode.SUBSCRIPTION, scheduled + due));
        execute(pool, "ANALYZE postrider.delivery");
    }

    private static void append(DataSource pool, String key, int events) throws SQLException {
        execute(pool, """
                INSERT INTO postrider.event_log (id, type, key, payload, headers, lane, bytes)
                SELECT id, '%s', key, to_json(n), '{}', postrider.lane_of(key, id), 4
                FROM (SELECT n, postrider.draw_id() AS id, %s AS key FROM generate_series(1, %d) AS n OFFSET 0) AS made
                """.formatted(ScheduledNode.TYPE, key, events));
    }

    /**
     * Rows that come before all others and are wanted later. Nothing claims them: the log need not have their events.
     */
    private static void schedule(DataSource pool, int scheduled) throws SQLException {
        execute(pool, """
                INSERT INTO postrider.delivery (subscription, lane, position, id, type, key, status, attempt, due_at,
                    suspect)
                SELECT '%1$s', postrider.lane_of('later-' || n, NULL), n,
                    ('00000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, '%2$s', 'later-' || n,
                    'waiting', 0, now() + interval '1 day' + n * interval '10 ms', false
                FROM generate_series(1, %3$d) AS n
                """.formatted(ScheduledNode.SUBSCRIPTION, ScheduledNode.TYPE, scheduled));
    }

    // ---- the database -----------------------------------------------------------------------------------------------

    private interface Work {
        void run() throws SQLException;
    }

    /** To sort all rows for an index at the end is much faster than to insert them one by one. */
    private static void withoutIndexes(DataSource pool, Work work) throws SQLException {
        List<String> drops = new ArrayList<>();
        List<String> creates = new ArrayList<>();
        String sql = """
                SELECT 'DROP INDEX postrider.' || indexname, indexdef FROM pg_indexes
                WHERE schemaname = 'postrider' AND tablename = 'delivery' AND indexname <> 'delivery_pkey'
                """;
        try (Connection connection = pool.getConnection();
                var statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            while (row.next()) {
                drops.add(row.getString(1));
                creates.add(row.getString(2));
            }
        }
        for (String drop : drops) {
            execute(pool, drop);
        }
        work.run();
        for (String create : creates) {
            execute(pool, create);
        }
    }

    private static void execute(DataSource pool, String sql) throws SQLException {
        try (Connection connection = pool.getConnection();
                var statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static long number(DataSource pool, String sql) throws SQLException {
        try (Connection connection = pool.getConnection();
                var statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getLong(1);
        }
    }
}
