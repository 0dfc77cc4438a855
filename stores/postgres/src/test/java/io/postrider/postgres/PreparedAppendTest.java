package io.postrider.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.postrider.Lane;
import io.postrider.embedded.EmbeddedPostgres;
import io.postrider.embedded.EmbeddedPostgresConfig;
import io.postrider.policy.Start;
import io.postrider.store.Claim;
import io.postrider.store.Park;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A prepared append outlives the server, and has another virtual transaction id after each restart. */
class PreparedAppendTest {
    private static final Duration KEPT = Duration.ofDays(1);
    private static final String LATE = "late";

    @TempDir
    Path folder;

    private EmbeddedPostgres server;
    private HikariDataSource pool;
    private PostgresStore store;

    @BeforeEach
    void start() {
        server = EmbeddedPostgres.start(
                EmbeddedPostgresConfig.in(folder).setting("fsync", "off").setting("max_prepared_transactions", "10"));
        pool = TestDatabase.pool(server, 5);
        store = PostgresStore.of(pool, PostgresStoreConfig.DEFAULT.segmentSize(100));
    }

    @AfterEach
    void stop() {
        pool.close();
        server.stop();
    }

    private void restart() {
        stop();
        start();
    }

    @Test
    void one_that_commits_after_a_restart_is_seen_by_who_registered_at_the_end_meanwhile() throws SQLException {
        store.prune().prune(KEPT);
        prepare();
        closeSegment();
        restart();
        store.prune().prune(KEPT);
        store.subscriptions().register("letters", Start.end(), "*");
        execute("COMMIT PREPARED 'held'");
        assertThat(seen()).isEqualTo(1);
    }

    @Test
    void one_that_is_pruned_around_after_a_restart_keeps_its_event() throws SQLException {
        store.prune().prune(KEPT);
        prepare();
        closeSegment();
        store.subscriptions().register("letters", Start.end(), "*");
        restart();
        execute("UPDATE postrider.settlement SET floor = (SELECT max(position) FROM postrider.event_log)");
        assertThat(store.prune().prune(Duration.ZERO).dropped()
                        + store.prune().prune(Duration.ZERO).dropped())
                .isZero();
        execute("COMMIT PREPARED 'held'");
        assertThat(number("SELECT count(*) FROM postrider.event_log WHERE type = '" + LATE + "'"))
                .isEqualTo(1);
        assertThat(store.prune().prune(Duration.ZERO).dropped())
                .as("once the append has ended")
                .isEqualTo(1);
    }

    private void prepare() throws SQLException {
        try (Connection held = pool.getConnection()) {
            held.setAutoCommit(false);
            try (var statement = held.createStatement()) {
                statement.execute("SELECT postrider.append('" + LATE + "', '{}')");
                statement.execute("PREPARE TRANSACTION 'held'");
            }
            held.rollback();
        }
    }

    private void closeSegment() throws SQLException {
        execute("SELECT count(postrider.append('paid', '{}')) FROM generate_series(1, 120)");
        store.prune().prune(KEPT);
        execute("SELECT postrider.append('paid', '{}')");
        assertThat(number("SELECT max(position) FROM postrider.event_log")).isGreaterThanOrEqualTo(Segments.WIDTH);
    }

    private long seen() {
        return store
                .claim()
                .claim(
                        new Claim.Claimant("node", "letters", "*", Park.View.of(Park.Wanted.WAITING_AND_DEAD)),
                        List.of(),
                        Lane.COUNT_DEFAULT)
                .stream()
                .flatMap(
                        lane -> store.claim().read(lane.ownership(), lane.cursor(), 1_000, 1_000_000).events().stream())
                .filter(event -> event.type().equals(LATE))
                .count();
    }

    private void execute(String sql) throws SQLException {
        try (Connection connection = pool.getConnection();
                var statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private long number(String sql) throws SQLException {
        try (Connection connection = pool.getConnection();
                var statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getLong(1);
        }
    }
}
