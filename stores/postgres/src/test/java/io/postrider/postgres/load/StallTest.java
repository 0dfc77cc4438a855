package io.postrider.postgres.load;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.postrider.Event;
import io.postrider.EventId;
import io.postrider.Postrider;
import io.postrider.PostriderConfig;
import io.postrider.embedded.EmbeddedPostgres;
import io.postrider.policy.NodeLimits;
import io.postrider.postgres.Eventually;
import io.postrider.postgres.PostgresStore;
import io.postrider.postgres.PostgresStoreConfig;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Segments are created and dropped all the time, while one append is held open: the other appends do not notice. */
class StallTest {
    private static final Duration STALL_LIMIT = Duration.ofMillis(200);
    private static final Duration PHASE = Duration.ofSeconds(6);
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final int APPENDERS = 2;
    private static final int SEGMENT = 100;
    /** Checking a new segment against that many would take most of a second. */
    private static final int BACKLOG = 500_000;

    private static final String TYPE = "stall";

    private static EmbeddedPostgres server;

    private final Set<EventId> appended = ConcurrentHashMap.newKeySet();
    private final Set<EventId> delivered = ConcurrentHashMap.newKeySet();
    private final AtomicLong slowestNanos = new AtomicLong();
    private final AtomicLong slowestOtherNanos = new AtomicLong();
    private final AtomicInteger created = new AtomicInteger();
    private final AtomicInteger dropped = new AtomicInteger();
    private HikariDataSource pool;
    private PostgresStore store;
    private Postrider<Connection> postrider;
    private Load load;

    /** Without waiting for a disk: an append that is slow has then waited for a lock. */
    @BeforeAll
    static void startServer() {
        server = EmbeddedPostgres.temporary(Map.of("fsync", "off"));
    }

    @AfterAll
    static void stopServer() {
        server.stop();
    }

    @BeforeEach
    void startNode() throws SQLException {
        pool = Database.of(server).pool(20);
        execute("DROP SCHEMA IF EXISTS postrider CASCADE");
        execute("CREATE TABLE IF NOT EXISTS other (number int)");
        store = PostgresStore.of(pool, PostgresStoreConfig.DEFAULT.segmentSize(SEGMENT));
        postrider = Postrider.on(store, PostriderConfig.defaults().limits(limits()));
        load = new Load();
    }

    @AfterEach
    void stopNode() throws Exception {
        load.close();
        postrider.close();
        pool.close();
    }

    @Test
    void prune_and_new_segments_stall_no_append_while_another_is_held_open() throws Exception {
        startDelivery();
        try (Connection holder = pool.getConnection()) {
            holder.setAutoCommit(false);
            appended.add(append(holder));
            startLoad();
            Load.pace(PHASE);
            assertThat(created)
                    .as("segments created while an append is held open")
                    .hasPositiveValue();
            holder.commit();
        }
        int before = dropped.get();
        Load.pace(PHASE);
        load.stop();
        assertThat(dropped).as("segments dropped after the held append ended").hasValueGreaterThan(before);
        judge();
    }

    @Test
    void an_append_held_open_outside_all_segments_stalls_no_other() throws Exception {
        fillTheSegments();
        startDelivery();
        try (Connection holder = pool.getConnection()) {
            holder.setAutoCommit(false);
            appended.add(append(holder));
            assertThat(number("SELECT count(*) FROM postrider.event_log_rest"))
                    .as("events that found no segment")
                    .isPositive();
            startLoad();
            Load.pace(PHASE);
            holder.commit();
        }
        int before = created.get();
        Load.pace(PHASE);
        load.stop();
        assertThat(created).as("segments created after the held append ended").hasValueGreaterThan(before);
        judge();
    }

    @Test
    void a_backlog_beyond_all_segments_becomes_a_segment_and_stalls_no_append() throws Exception {
        narrow();
        execute("""
                INSERT INTO postrider.event_log (id, type, key, payload, headers, lane, bytes)
                SELECT gen_random_uuid(), 'stall', 'key', to_json(repeat('x', 1000)), '{}', number %% 16, 1002
                FROM generate_series(1, %d) AS number
                """.formatted(BACKLOG));
        startLoad();
        Eventually.holds(
                PATIENCE,
                () -> assertThat(number("SELECT count(*) FROM postrider.event_log_rest"))
                        .isZero());
        load.stop();
        judgeStalls();
    }

    private void judge() {
        Eventually.holds(
                PATIENCE,
                () -> assertThat(delivered)
                        .as("delivered events")
                        .hasSameSizeAs(appended)
                        .containsAll(appended));
        judgeStalls();
    }

    private void judgeStalls() {
        Duration slowest = Duration.ofNanos(slowestNanos.get());
        Duration other = Duration.ofNanos(slowestOtherNanos.get());
        System.out.printf(
                "%d events, %d segments created, %d dropped, slowest append %d ms, slowest other transaction %d ms%n",
                appended.size(), created.get(), dropped.get(), slowest.toMillis(), other.toMillis());
        assertThat(slowest.minus(other))
                .as("how much longer the slowest append took, with its commit, than the slowest of as many transactions"
                        + " that share no lock with it and wait for the machine only")
                .isLessThan(STALL_LIMIT);
    }

    private void startDelivery() {
        postrider
                .subscribe("stall")
                .on(TYPE, (payload, context) -> delivered.add(context.id()))
                .start();
    }

    private void startLoad() {
        for (int i = 0; i < APPENDERS; i++) {
            load.start(this::appendAndCommit);
            load.start(this::writeElsewhere);
        }
        load.start(this::prune);
    }

    private void appendAndCommit() throws SQLException {
        Load.pace(Duration.ofMillis(2));
        try (Connection connection = pool.getConnection()) {
            connection.setAutoCommit(false);
            long began = System.nanoTime();
            List<EventId> ids = postrider.outbox().append(connection, List.of(event(), event(), event()));
            connection.commit();
            slowestNanos.accumulateAndGet(System.nanoTime() - began, Math::max);
            appended.addAll(ids);
        }
    }

    private void writeElsewhere() throws SQLException {
        Load.pace(Duration.ofMillis(2));
        try (Connection connection = pool.getConnection();
                var statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            long began = System.nanoTime();
            statement.execute("INSERT INTO other VALUES (1)");
            connection.commit();
            slowestOtherNanos.accumulateAndGet(System.nanoTime() - began, Math::max);
        }
    }

    private void prune() {
        var pruned = store.prune().prune(Duration.ZERO);
        created.addAndGet(pruned.created());
        dropped.addAndGet(pruned.dropped());
        Load.pace(Duration.ofMillis(20));
    }

    /** As if no node had run for a while: more events than the segments that are there can take. */
    private void fillTheSegments() throws SQLException {
        narrow();
        try (Connection connection = pool.getConnection()) {
            connection.setAutoCommit(false);
            for (int i = 0; i < 3 * SEGMENT; i++) {
                appended.add(append(connection));
            }
            connection.commit();
        }
    }

    /** As in a database that was made when segments were narrow. */
    private void narrow() throws SQLException {
        execute("ALTER TABLE postrider.event_log DETACH PARTITION postrider.event_log_1");
        execute("ALTER TABLE postrider.event_log ATTACH PARTITION postrider.event_log_1" + " FOR VALUES FROM (1) TO ("
                + (1 + SEGMENT) + ")");
        execute("UPDATE postrider.segment SET next = 1 + " + SEGMENT + " WHERE log = 'event_log'");
    }

    private EventId append(Connection connection) {
        return postrider.outbox().append(connection, event());
    }

    private static Event event() {
        return Event.of(TYPE, Map.of());
    }

    private static NodeLimits limits() {
        return NodeLimits.builder()
                .retain(Duration.ZERO)
                .subscriptions(s -> s.rereadEvery(Duration.ofMillis(200)).settleQuietEvery(Duration.ofMillis(200)))
                .build();
    }

    private long number(String sql) throws SQLException {
        try (Connection connection = pool.getConnection();
                var statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getLong(1);
        }
    }

    private void execute(String sql) throws SQLException {
        try (Connection connection = pool.getConnection();
                var statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
