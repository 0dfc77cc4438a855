package io.postrider.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.postrider.AppendMode;
import io.postrider.Event;
import io.postrider.Postrider;
import io.postrider.Transact;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.postgresql.core.TransactionState;
import org.postgresql.jdbc.PgConnection;

/** Events that travel with the commit: one round trip, all or nothing, and a connection that is good afterwards. */
class AppendWithCommitTest {
    private static final String TYPE = "letter.sent";
    /** The log takes none of this type, and only the log knows. */
    private static final String REFUSED = "letter.refused";
    /** After so many executions the driver prepares a statement on the server. */
    private static final int PREPARES = 5;

    private final TestDatabase database = new TestDatabase();
    /** One connection, so that each transaction meets what the one before has left. */
    private final HikariDataSource pool = pool();

    private Postrider<Connection> node;

    @BeforeEach
    void createTable() throws SQLException {
        node = Postrider.on(PostgresStore.of(pool, database.config()));
        database.execute("CREATE TABLE {state} (id int PRIMARY KEY, other int CONSTRAINT other_is_there"
                + " REFERENCES {state} DEFERRABLE INITIALLY DEFERRED)");
        database.execute("ALTER TABLE {event_log} ADD CHECK (type <> '" + REFUSED + "')");
    }

    @AfterEach
    void close() {
        node.close();
        pool.close();
        database.close();
    }

    private HikariDataSource pool() {
        HikariConfig config = new HikariConfig();
        config.setDataSource(database.dataSource());
        config.setMaximumPoolSize(1);
        return new HikariDataSource(config);
    }

    @Test
    void an_event_is_committed_with_the_state_in_the_round_trip_of_the_commit() throws Exception {
        inTransaction(connection -> {
            write(connection, 1);
            append(connection, "a");
            assertThat(events(connection)).as("written before the commit").isEmpty();
        });
        assertThat(states()).isOne();
        assertThat(committed()).containsExactly("a");
        assertIdle();
    }

    @Test
    void an_event_makes_no_round_trip_of_its_own() throws Exception {
        try (HikariDataSource counted = TestDatabase.countedPool();
                Postrider<Connection> other = Postrider.on(PostgresStore.of(counted, database.config()))) {
            for (AppendMode mode : AppendMode.values()) {
                roundTrips(other, mode, true); // asks for rights, once
            }
            int without = roundTrips(other, AppendMode.WITH_COMMIT, false);
            assertThat(roundTrips(other, AppendMode.WITH_COMMIT, true)).isEqualTo(without);
            assertThat(roundTrips(other, AppendMode.AT_ONCE, true)).isEqualTo(without + 1);
        }
    }

    private int roundTrips(Postrider<Connection> other, AppendMode mode, boolean event) throws Exception {
        other.transaction(mode, connection -> {
            CountingSockets.sent(); // a pool may ask whether a connection is alive
            execute(connection, "UPDATE " + database.schema() + ".state SET other = NULL");
            return event ? other.outbox().append(connection, Event.of(TYPE, "a")) : true;
        });
        return CountingSockets.sent();
    }

    @Test
    void several_events_keep_the_order_of_their_appends() throws Exception {
        inTransaction(connection -> {
            append(connection, "at once"); // nothing has begun the transaction yet
            write(connection, 1);
            append(connection, "a");
            append(connection, "b");
        });
        assertThat(committed()).containsExactly("at once", "a", "b");
    }

    @Test
    void an_event_that_the_log_refuses_leaves_nothing_and_a_good_connection() throws Exception {
        assertThatThrownBy(() -> inTransaction(connection -> {
                    write(connection, 1);
                    node.outbox().append(connection, Event.of(REFUSED, "a"));
                }))
                .isInstanceOf(SQLException.class);
        assertNothing();
    }

    @Test
    void a_deferred_constraint_that_fails_leaves_nothing_and_a_good_connection() throws Exception {
        assertThatThrownBy(() -> inTransaction(connection -> {
                    execute(connection, "INSERT INTO " + database.schema() + ".state VALUES (1, 2)");
                    append(connection, "a");
                }))
                .isInstanceOf(SQLException.class)
                .hasMessageContaining("other_is_there");
        assertNothing();
    }

    @Test
    void an_error_that_the_work_hides_fails_the_commit() throws Exception {
        assertThatThrownBy(() -> inTransaction(connection -> {
                    write(connection, 1);
                    append(connection, "a");
                    try {
                        execute(connection, "SELECT 1 / 0");
                    } catch (SQLException hidden) {
                        append(connection, "b");
                    }
                }))
                .isInstanceOf(Exception.class);
        assertNothing();
        assertThatThrownBy(() -> inTransaction(connection -> {
                    write(connection, 1);
                    append(connection, "a");
                    assertThatThrownBy(() -> execute(connection, "SELECT 1 / 0"))
                            .isInstanceOf(SQLException.class);
                }))
                .hasMessageContaining("an error in the transaction was hidden");
        assertNothing();
    }

    @Test
    void work_that_throws_leaves_nothing_of_events_that_wait() throws Exception {
        assertThatThrownBy(() -> inTransaction(connection -> {
                    write(connection, 1);
                    append(connection, "a");
                    throw new IOException("the work fails");
                }))
                .isInstanceOf(IOException.class);
        assertNothing();
    }

    @Test
    void work_that_commits_by_itself_is_told_and_no_event_is_written_without_its_state() throws Exception {
        assertThatThrownBy(() -> inTransaction(connection -> {
                    write(connection, 1);
                    append(connection, "a");
                    connection.unwrap(PgConnection.class).commit();
                }))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("has ended its transaction by itself");
        assertThat(committed()).isEmpty();
        assertThatThrownBy(() -> inTransaction(connection -> {
                    write(connection, 2);
                    append(connection, "b");
                    connection.commit();
                }))
                .isInstanceOf(IllegalStateException.class);
        assertThat(committed()).isEmpty();
        assertIdle();
    }

    @Test
    void work_that_commits_by_itself_and_goes_on_is_told_and_what_followed_is_undone() throws Exception {
        assertThatThrownBy(() -> inTransaction(connection -> {
                    write(connection, 1);
                    append(connection, "a");
                    connection.unwrap(PgConnection.class).commit();
                    assertThatThrownBy(() -> append(connection, "b")).isInstanceOf(IllegalStateException.class);
                    write(connection, 2);
                }))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("1 events waited");
        assertThatThrownBy(() -> inTransaction(connection -> {
                    write(connection, 3);
                    append(connection, "a");
                    execute(connection, "COMMIT");
                    write(connection, 4);
                }))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("has ended its transaction by itself");
        assertThatThrownBy(() -> inTransaction(connection -> {
                    write(connection, 5);
                    append(connection, "a");
                    execute(connection, "COMMIT");
                    connection.setSavepoint();
                }))
                .isInstanceOf(IllegalStateException.class);
        assertThat(committed()).isEmpty();
        assertThat(database.texts("SELECT id::text FROM {state} ORDER BY id")).containsExactly("1", "3", "5");
        assertIdle();
    }

    @Test
    void what_is_rolled_back_to_a_savepoint_takes_its_events_along() throws Exception {
        inTransaction(connection -> {
            write(connection, 1);
            append(connection, "before");
            Savepoint savepoint = connection.setSavepoint();
            write(connection, 2);
            append(connection, "undone");
            connection.rollback(savepoint);
            append(connection, "after");
        });
        assertThat(committed()).containsExactly("before", "after");
        assertThat(states()).isOne();
        assertIdle();
    }

    @Test
    void an_append_on_a_connection_of_the_works_own_waits_for_nothing() throws Exception {
        try (Connection other = database.begin()) {
            inTransaction(connection -> {
                write(connection, 1);
                append(other, "other");
                other.commit();
                assertThat(events(other)).containsExactly("other");
            });
        }
    }

    @Test
    void events_of_a_transaction_outbox_wait_for_the_commit_as_well() throws Exception {
        inTransaction(connection -> {
            write(connection, 1);
            append(connection, "a");
            node.transactionOutbox().append(connection, Event.of(TYPE, "b"));
            append(connection, "c");
            assertThat(events(connection)).isEmpty();
        });
        assertThat(committed()).containsExactly("a", "b", "c");
    }

    @Test
    void an_append_from_within_a_transaction_of_its_own_keeps_its_place_among_those_that_wait() throws Exception {
        try (Postrider<Connection> other = Postrider.on(database.store())) {
            other.transaction(AppendMode.WITH_COMMIT, outer -> {
                write(outer, 1);
                other.outbox().append(outer, Event.of(TYPE, "a"));
                other.transaction(inner -> other.outbox().append(outer, Event.of(TYPE, "b")));
                return other.outbox().append(outer, Event.of(TYPE, "c"));
            });
        }
        assertThat(committed()).containsExactly("a", "b", "c");
    }

    @Test
    void transactions_without_events_commit_as_ever() throws Exception {
        inTransaction(connection -> write(connection, 1));
        assertThat(states()).isOne();
        assertIdle();
    }

    @Test
    void the_statement_stays_prepared_on_the_server() throws Exception {
        for (int i = 0; i < 2 * PREPARES; i++) {
            int number = i;
            inTransaction(connection -> {
                write(connection, number);
                append(connection, "a");
            });
        }
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT count(*) FROM pg_prepared_statements"
                        + " WHERE statement LIKE 'INSERT INTO%event_log%' AND generic_plans + custom_plans > 1")) {
            row.next();
            assertThat(row.getInt(1)).isPositive();
        }
    }

    @Test
    void behind_a_transaction_pooler_as_well(@TempDir Path folder) throws Exception {
        try (Pooler pooler = Pooler.start(TestDatabase.server(), folder);
                HikariDataSource pooled = pooler.pool();
                Postrider<Connection> behind = Postrider.on(PostgresStore.of(pooled, database.config()))) {
            for (int i = 0; i < 2 * PREPARES; i++) {
                int number = i;
                behind.transaction(AppendMode.WITH_COMMIT, connection -> {
                    execute(connection, "INSERT INTO " + database.schema() + ".state VALUES (" + number + ")");
                    return behind.outbox().append(connection, Event.of(TYPE, "a" + number));
                });
                assertThatThrownBy(() -> behind.transaction(AppendMode.WITH_COMMIT, connection -> {
                            execute(connection, "SELECT 1");
                            return behind.outbox().append(connection, Event.of(REFUSED, "a"));
                        }))
                        .isInstanceOf(SQLException.class);
            }
        }
        assertThat(committed()).hasSize(2 * PREPARES);
        assertThat(states()).isEqualTo(2 * PREPARES);
    }

    // ---- what it comes to -------------------------------------------------------------------------------------------

    private interface Body {
        void run(Connection connection) throws Exception;
    }

    private void inTransaction(Body body) throws Exception {
        Transact.Work<Connection, Boolean> work = connection -> {
            body.run(connection);
            return true;
        };
        node.transaction(AppendMode.WITH_COMMIT, work);
    }

    private void write(Connection connection, int id) throws SQLException {
        execute(connection, "INSERT INTO " + database.schema() + ".state VALUES (" + id + ")");
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private void append(Connection connection, String text) {
        node.outbox().append(connection, Event.of(TYPE, text).key("ann"));
    }

    /** Nothing is there, nothing is open, and the next transaction is a good one. */
    private void assertNothing() throws Exception {
        assertThat(states()).isZero();
        assertThat(committed()).isEmpty();
        assertIdle();
        inTransaction(connection -> write(connection, 99));
        database.execute("DELETE FROM {state}");
    }

    private void assertIdle() throws SQLException {
        try (Connection connection = pool.getConnection()) {
            assertThat(connection.getAutoCommit()).isTrue();
            assertThat(connection.unwrap(PgConnection.class).getTransactionState())
                    .isEqualTo(TransactionState.IDLE);
        }
    }

    private List<String> committed() throws SQLException {
        try (Connection connection = pool.getConnection()) {
            return events(connection);
        }
    }

    /** The texts of all events that this connection sees, in the order of the log. */
    private List<String> events(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(
                        "SELECT payload #>> '{}' FROM " + database.schema() + ".event_log ORDER BY position")) {
            List<String> texts = new ArrayList<>();
            while (row.next()) {
                texts.add(row.getString(1));
            }
            return texts;
        }
    }

    private long states() throws SQLException {
        return database.number("SELECT count(*) FROM {state}");
    }
}
