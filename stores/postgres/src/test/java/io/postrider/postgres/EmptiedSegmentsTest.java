package io.postrider.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.policy.Start;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Segments that are emptied and not dropped yet, because appends hold the lock of the log, are not looked through. */
class EmptiedSegmentsTest {
    private final TestDatabase database = new TestDatabase();

    @AfterEach
    void close() {
        database.close();
    }

    @Test
    void the_oldest_pending_event_is_found_behind_many_of_them() throws SQLException {
        PostgresStore store = database.store();
        store.subscriptions().register("letters", Start.beginning(), "");
        database.execute("UPDATE {segment} SET first = 201 WHERE log = 'event_log' AND first = 1");
        database.execute("""
                INSERT INTO {segment} (log, first, next, emptied)
                SELECT 'event_log', n, n + 10, true FROM generate_series(1, 191, 10) AS n
                """);
        database.execute("SELECT setval('{event_position}', 200)");
        database.execute("SELECT {append}('paid', '{}')");
        assertThat(store.browse().progress("letters").pendingEstimate()).isEqualTo(1);
        assertThat(store.browse().progress("letters").oldestPending()).isNotNull();
    }

    @Test
    void many_segments_are_emptied_in_a_few_transactions() throws SQLException {
        StatementCount emptied = new StatementCount("TRUNCATE");
        PostgresStore store = PostgresStore.of(emptied.on(database.dataSource()), database.config());
        closeSegments(store, Segments.AT_ONCE + 2);
        store.subscriptions().register("letters", Start.end(), "");
        assertThat(store.prune().prune(Duration.ZERO).dropped()).isEqualTo(Segments.AT_ONCE + 2);
        assertThat(emptied.count()).isEqualTo(2);
    }

    @Test
    void one_that_somebody_reads_holds_back_no_older_one() throws SQLException {
        PostgresStore store = database.store();
        closeSegments(store, 6);
        store.subscriptions().register("letters", Start.end(), "");
        try (Connection reader = database.begin()) {
            reader.createStatement()
                    .execute("SELECT count(*) FROM " + database.schema() + ".event_log_" + 3 * Segments.WIDTH);
            assertThat(store.prune().prune(Duration.ZERO).dropped()).isEqualTo(3);
            reader.rollback();
        }
        assertThat(store.prune().prune(Duration.ZERO).dropped()).isEqualTo(3);
    }

    @Test
    void a_segment_that_another_node_emptied_meanwhile_is_not_emptied_again() throws SQLException {
        closeSegments(database.store(), 3);
        Segments log =
                new Segments(new Jdbc(database.dataSource(), database.schema()), "event_log", "event_position", 100);
        try (Connection connection = database.dataSource().getConnection()) {
            List<Segments.Segment> listed = Segments.still(log.list(connection)).subList(0, 2);
            assertThat(log.empty(connection, listed, "SELECT 1")).isTrue();
            assertThat(log.empty(connection, listed, "SELECT 1")).isFalse();
        }
    }

    /** Each has an event. */
    private void closeSegments(PostgresStore store, int number) throws SQLException {
        store.prune().prune(Duration.ofDays(1));
        for (int i = 0; i < number; i++) {
            database.execute("SELECT {append}('paid', '{}', key => 'key')");
            database.execute("SELECT setval('{event_position}', nextval('{event_position}') + 99)");
            store.prune().prune(Duration.ofDays(1));
        }
    }
}
