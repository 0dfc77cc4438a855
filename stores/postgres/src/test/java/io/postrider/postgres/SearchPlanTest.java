package io.postrider.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.EventFilter;
import io.postrider.EventId;
import io.postrider.operate.Search;
import io.postrider.policy.Start;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Searches and views read what they show and little more, at any size of the log, where segments are indexed. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SearchPlanTest {
    private static final int SEGMENT = 30_000;
    private static final int SEGMENTS = 4;
    /** Rows of the log that a view may read for a page of ten. */
    private static final int READ_MAX = 3_000;

    private final TestDatabase database = new TestDatabase();
    private PostgresStore store;

    @BeforeAll
    void fill() throws SQLException {
        store = PostgresStore.of(database.dataSource(), database.config().segmentSize(SEGMENT));
        store.subscriptions().register("plans", Start.beginning(), "type-*");
        for (int i = 0; i < SEGMENTS; i++) {
            append(database, SEGMENT);
            store.prune().prune(Duration.ofDays(1));
        }
        append(database, 100);
        settleAll(database);
        bury(database, 2_000);
        while (store.prune().prune(Duration.ofDays(1)).created() > 0) {}
        database.execute("ANALYZE {delivery}, {lane}, {settlement}, {subscription}, {attempt}");
    }

    @AfterAll
    void close() {
        database.close();
    }

    @Test
    void a_search_reads_no_segment_through_and_no_more_than_its_limit() throws SQLException {
        Instant now = Instant.now();
        for (EventFilter filter : List.of(
                EventFilter.ALL,
                EventFilter.ALL.type("type-3"),
                EventFilter.ALL.key("key-17"),
                EventFilter.ALL.tenant("tenant-17"),
                EventFilter.ALL.userId("user-17"),
                EventFilter.ALL.correlationId("correlation-17"),
                EventFilter.ALL.type("type-3").tenant("tenant-17").userId("nobody"),
                EventFilter.ALL.type("type-3").tenant("nobody"),
                EventFilter.ALL.between(now.minusSeconds(3_600), now),
                EventFilter.ALL.type("type-1").between(null, now.minusSeconds(3_600)))) {
            reads(filter.toString(), Search.EXAMINED_MAX * 3, connection -> {
                Jdbc jdbc = new Jdbc(database.dataSource(), database.schema());
                new EventScan(jdbc, connection, EventScan.Query.of(filter, null, 50)).page();
            });
        }
    }

    @Test
    void a_story_and_a_chain_read_no_segment_through() throws SQLException {
        EventId id = store.search()
                .events(EventFilter.ALL.key("key-17"), null, 1)
                .events()
                .get(0)
                .id();
        Jdbc jdbc = new Jdbc(database.dataSource(), database.schema());
        reads("story", 100, connection -> new PostgresStory(jdbc).tell(connection, id));
        reads("chain", 1_000, connection -> new ChainScan(jdbc, connection, "correlation-17").chain());
    }

    @Test
    void a_view_reads_little_more_than_it_shows() throws SQLException {
        for (String condition : List.of(
                "event_outbox} WHERE status = 'published'",
                "event_outbox} WHERE status = 'failed'",
                "event_outbox} WHERE status = 'pending'",
                "event_outbox} WHERE aggregate_id = 'key-17'",
                "event_outbox} WHERE project_id = 'tenant-17'",
                "event_outbox} WHERE user_id = 'user-17'",
                "event_outbox} WHERE status = 'published' AND user_id = 'user-17'",
                "outbox_events} WHERE processed",
                "outbox_events} WHERE NOT processed",
                "event_handling} WHERE status = 'processed'",
                "event_handling} WHERE status = 'processing'",
                "event_handling} WHERE group_id = 'key-17'")) {
            String sql = "SELECT * FROM {" + condition + " LIMIT 10";
            reads(sql, READ_MAX, connection -> run(connection, sql));
        }
    }

    @Test
    void delivered_events_in_order_read_little_more_than_is_shown() throws SQLException {
        String ordered = "SELECT * FROM {event_delivered} ORDER BY appended_at DESC LIMIT 10";
        reads(ordered, READ_MAX, connection -> run(connection, ordered));
    }

    @Test
    void rows_of_one_status_come_newest_first() throws SQLException {
        for (String status : List.of("published", "failed")) {
            assertThat(database.number("""
                    SELECT count(*) FROM (
                        SELECT created_at, lag(created_at) OVER () AS before
                        FROM (SELECT * FROM {event_outbox} WHERE status = '%s' LIMIT 100) AS page) AS pairs
                    WHERE created_at > before
                    """.formatted(status))).isZero();
        }
    }

    @Test
    void branches_of_other_statuses_are_not_looked_at() throws SQLException {
        assertThat(plan("SELECT * FROM {event_outbox} WHERE status = 'failed' LIMIT 10"))
                .doesNotContain("on event_log");
        assertThat(plan("SELECT * FROM {event_outbox} WHERE status = 'published' LIMIT 10"))
                .doesNotContain("Index Scan using delivery_status");
        assertThat(plan("SELECT * FROM {event_handling} WHERE status = 'processing' LIMIT 10"))
                .doesNotContain("delivery_failed", "late_events");
        assertThat(plan("SELECT * FROM {outbox_events} WHERE NOT processed LIMIT 10"))
                .doesNotContain("_by_time");
    }

    private String plan(String sql) throws SQLException {
        StringBuilder plan = new StringBuilder();
        try (Connection connection = database.begin();
                var statement = connection.createStatement();
                ResultSet row = statement.executeQuery("EXPLAIN " + named(sql))) {
            while (row.next()) {
                plan.append(row.getString(1)).append('\n');
            }
        }
        return plan.toString();
    }

    private void run(Connection connection, String sql) throws SQLException {
        try (var statement = connection.createStatement();
                ResultSet row = statement.executeQuery(named(sql))) {
            while (row.next()) {
                row.getString(1);
            }
        }
    }

    private String named(String sql) {
        return sql.replaceAll("\\{(\\w+)}", database.schema() + ".$1");
    }

    /** What is read of indexed segments is counted by PostgreSQL itself; it begins with what its session did before. */
    private void reads(String what, int most, Work work) throws SQLException {
        try (Connection connection = database.begin()) {
            Read before = read(connection);
            work.run(connection);
            Read after = read(connection);
            assertThat(after.scanned() - before.scanned())
                    .as("rows read by sequential scans: %s", what)
                    .isZero();
            assertThat(after.fetched() - before.fetched())
                    .as("rows read by indexes: %s", what)
                    .isLessThanOrEqualTo(most);
        }
    }

    private record Read(long scanned, long fetched) {}

    private Read read(Connection connection) throws SQLException {
        try (var statement = connection.createStatement();
                ResultSet row = statement.executeQuery("""
                        SELECT sum(seq_tup_read), sum(coalesce(idx_tup_fetch, 0)) FROM pg_stat_xact_user_tables
                        WHERE schemaname = '%s' AND relname LIKE 'event\\_log\\_%%' AND relname <> 'event_log_%d'
                        """.formatted(database.schema(), SEGMENTS * Segments.WIDTH))) {
            row.next();
            return new Read(row.getLong(1), row.getLong(2));
        }
    }

    /** What is looked at. */
    private interface Work {
        void run(Connection connection) throws SQLException;
    }

    // ---- data -------------------------------------------------------------------------------------------------------

    static void append(TestDatabase database, int events) throws SQLException {
        database.execute("""
                INSERT INTO {event_log} (id, type, key, tenant, payload, headers, lane, bytes)
                SELECT gen_random_uuid(), 'type-' || n %% 5, key, 'tenant-' || n %% 100, '{}',
                    json_build_object('userId', 'user-' || n %% 1000, 'correlationId', 'correlation-' || n / 3),
                    {lane_of}(key, NULL), 2
                FROM (SELECT n, 'key-' || n %% 500 AS key FROM generate_series(1, %d) AS n) AS made
                """.formatted(events));
    }

    /** As if every lane had settled everything, a thousand events at a time. */
    static void settleAll(TestDatabase database) throws SQLException {
        database.execute("""
                INSERT INTO {settlement} (subscription, lane, epoch, number, reached, snapshot, bound, floor,
                    delivered, skipped, parked, dead, expired, discarded)
                SELECT subscription, lane, epoch, n / 1000 + 1, position, pg_current_snapshot(),
                    pg_current_xact_id(), position, 0, 0, 0, 0, 0, 0
                FROM {lane}, (
                    SELECT position, row_number() OVER (ORDER BY position) AS n, count(*) OVER () AS events
                    FROM {event_log}
                ) o
                WHERE n % 1000 = 0 OR n = events
                """);
    }

    /** Dead rows of events all over the log. */
    static void bury(TestDatabase database, int events) throws SQLException {
        database.execute("""
                INSERT INTO {delivery} (subscription, lane, position, id, type, key, status, attempt, due_at, suspect,
                    error, headers, tenant, appended_at)
                SELECT s.name, o.lane, o.position, o.id, o.type, o.key, 'dead', 3, now(), false, 'broken',
                    o.headers, o.tenant, o.appended_at
                FROM {subscription} s, (
                    SELECT *, row_number() OVER (ORDER BY position) AS n, count(*) OVER () AS events FROM {event_log}
                ) o
                WHERE o.n %% (o.events / %d) = 0
                """.formatted(events));
    }
}
