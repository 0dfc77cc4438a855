package io.postrider.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.postrider.EventId;
import io.postrider.Headers;
import io.postrider.store.Append;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;

/** Segments are made while an append is open, and the log goes on through many of them: no append ever fails. */
class OpenAppendTest {
    private static final int SEGMENTS = 7;
    /** Often enough for the driver and PostgreSQL to keep the statement and its plan. */
    private static final int OFTEN = 10;

    private final TestDatabase database = new TestDatabase();
    private final PostgresStore store = database.store();

    @AfterEach
    void close() {
        database.close();
    }

    @Test
    void a_transaction_that_appended_long_ago_appends_again() throws SQLException {
        store.prune().prune(Duration.ofDays(1));
        try (Connection held = database.begin()) {
            appendOften(held);
            goOn();
            appendOften(held);
            held.commit();
        }
        goOn();
        assertThat(database.number("SELECT count(*) FROM {event_log}")).isEqualTo(2 * OFTEN + 2 * SEGMENTS * 100);
        assertThat(database.number("SELECT count(*) FROM {event_log_rest}")).isZero();
    }

    /** Its lock on the log is there before it has drawn a position. */
    @Test
    void a_transaction_that_meant_to_append_nothing_appends_after_all() throws SQLException {
        store.prune().prune(Duration.ofDays(1));
        try (Connection held = database.begin()) {
            execute(held, """
                    INSERT INTO {event_log} (id, type, payload, headers, lane, bytes)
                    SELECT gen_random_uuid(), 'paid', '{}', '{}', 0, 2 WHERE false
                    """);
            goOn();
            append(held);
            held.commit();
        }
        assertThat(database.number("SELECT count(*) FROM {event_log}")).isEqualTo(1 + SEGMENTS * 100);
    }

    @Test
    void one_statement_appends_while_segments_are_made_for_the_positions_it_draws() throws Exception {
        CompletableFuture<Void> slow = CompletableFuture.runAsync(() -> {
            try (Connection connection = database.begin()) {
                execute(connection, """
                        INSERT INTO {event_log} (id, type, payload, headers, lane, bytes)
                        SELECT gen_random_uuid(), 'paid', '{}', '{}', 0, 2
                        FROM generate_series(1, 300) AS n WHERE pg_sleep(0.002)::text IS NOT NULL
                        """);
                connection.commit();
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        });
        int others = 0;
        while (!slow.isDone()) {
            store.prune().prune(Duration.ofDays(1));
            database.execute("SELECT count({append}('paid', '{}')) FROM generate_series(1, 20)");
            others += 20;
        }
        slow.join();
        assertThat(database.number("SELECT count(*) FROM {event_log}")).isEqualTo(300 + others);
    }

    /**
     * A session that read the list of segments while one was made may have kept the old list beyond that transaction.
     */
    @Test
    void no_position_of_a_segment_is_drawn_before_every_session_was_told_of_it_twice() throws SQLException {
        try (Connection first = database.begin();
                Connection second = database.begin()) {
            append(first);
            database.execute("SELECT count({append}('paid', '{}')) FROM generate_series(1, 100)");
            extend();
            long open = newest();
            append(second);
            first.commit();
            extend();
            database.execute("SELECT {append}('paid', '{}')");
            assertThat(newest())
                    .as("told a second time, and one is left that was not")
                    .isLessThan(open + 10);
            second.commit();
            extend();
            database.execute("SELECT {append}('paid', '{}')");
            assertThat(newest()).as("in the next segment").isGreaterThanOrEqualTo(Segments.WIDTH);
        }
    }

    private long newest() throws SQLException {
        return database.number("SELECT max(position) FROM {event_log}");
    }

    @Test
    void the_default_partition_takes_no_position_of_a_segment_from_a_session_that_does_not_know_it()
            throws SQLException {
        store.prune().prune(Duration.ofDays(1));
        assertDefaultPartitionRefuses(database, Segments.WIDTH);
        assertDefaultPartitionRefuses(database, 2 * Segments.WIDTH - 1);
    }

    /** As a session does that does not know the segment of the position: there is none while it appends. */
    static void assertDefaultPartitionRefuses(TestDatabase database, long position) throws SQLException {
        String segment = "{event_log_" + position / Segments.WIDTH * Segments.WIDTH + "}";
        try (Connection connection = database.begin()) {
            execute(database, connection, "ALTER TABLE {event_log} DETACH PARTITION " + segment);
            assertThatExceptionOfType(PSQLException.class)
                    .isThrownBy(() -> execute(database, connection, """
                            INSERT INTO {event_log} (position, id, type, payload, headers, lane, bytes)
                            VALUES (%d, gen_random_uuid(), 'paid', '{}', '{}', 0, 2)
                            """.formatted(position)))
                    .satisfies(refused -> {
                        assertThat(refused.getSQLState()).isEqualTo("23514");
                        assertThat(refused.getServerErrorMessage())
                                .isNotNull()
                                .extracting(ServerErrorMessage::getConstraint)
                                .isEqualTo("beyond");
                    });
            connection.rollback();
        }
    }

    @Test
    void stores_start_beside_appends() {
        AtomicBoolean enough = new AtomicBoolean();
        CompletableFuture<Void> appends = CompletableFuture.runAsync(() -> {
            while (!enough.get()) {
                try {
                    database.execute("SELECT {append}('paid', '{}')");
                } catch (SQLException e) {
                    throw new IllegalStateException(e);
                }
            }
        });
        try {
            for (int i = 0; i < 20; i++) {
                assertThat(database.store().browse().subscriptions()).isEmpty();
            }
        } finally {
            enough.set(true);
        }
        appends.join();
    }

    /** Others append as many events as fill several segments, and nodes prune meanwhile. */
    private void goOn() throws SQLException {
        for (int i = 0; i < SEGMENTS; i++) {
            database.execute("SELECT count({append}('paid', '{}')) FROM generate_series(1, 100)");
            extend();
        }
    }

    /** No more than a prune does to the segments: a session that is sent too many notices reads them all. */
    private void extend() throws SQLException {
        Jdbc jdbc = new Jdbc(database.dataSource(), database.schema());
        try (Connection connection = database.dataSource().getConnection()) {
            new Segments(jdbc, "event_log", "event_position", 100).extend(connection);
        }
    }

    private void appendOften(Connection connection) {
        for (int i = 0; i < OFTEN; i++) {
            store.append()
                    .append(
                            connection,
                            List.of(new Append.Entry(
                                    new EventId(UUID.randomUUID()), "paid", "ann", "{}", Headers.NONE, null)));
        }
    }

    private void append(Connection connection) throws SQLException {
        execute(
                connection,
                "INSERT INTO {event_log} (id, type, payload, headers, lane, bytes)"
                        + " VALUES (gen_random_uuid(), 'paid', '{}', '{}', 0, 2)");
    }

    private void execute(Connection connection, String sql) throws SQLException {
        execute(database, connection, sql);
    }

    private static void execute(TestDatabase database, Connection connection, String sql) throws SQLException {
        try (var statement = connection.createStatement()) {
            statement.execute(sql.replaceAll("\\{(\\w+)}", database.schema() + ".$1"));
        }
    }
}
