package io.postrider.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.postrider.Event;
import io.postrider.Postrider;
import io.postrider.PostriderConfig;
import io.postrider.Transact;
import io.postrider.store.StoreException;
import io.postrider.tck.StoreTransact;
import io.postrider.tck.TransactFixture;
import io.postrider.tck.TransactSuite;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.postgresql.jdbc.PgConnection;

/** Transactions of a manager beside the store, as a framework has one. */
class ForeignTransactTest {

    /** Begins and ends transactions by itself, and throws exceptions of its own. */
    record Manager(DataSource dataSource) implements Transact<Connection> {
        @Override
        public <R> R transact(Work<Connection, R> work) throws Exception {
            try (Connection connection = begin()) {
                R result;
                try {
                    result = work.run(connection);
                } catch (Throwable failure) {
                    rollBack(connection);
                    throw failure;
                }
                commit(connection);
                return result;
            }
        }

        private Connection begin() {
            try {
                Connection connection = dataSource.getConnection();
                connection.setAutoCommit(false);
                return connection;
            } catch (SQLException e) {
                throw new UnsupportedOperationException("the manager has no connection", e);
            }
        }

        private static void rollBack(Connection connection) {
            try {
                connection.rollback();
            } catch (SQLException e) {
                throw new UnsupportedOperationException("the manager cannot roll back", e);
            }
        }

        private static void commit(Connection connection) {
            try {
                connection.commit();
            } catch (SQLException e) {
                throw new UnsupportedOperationException("the manager cannot commit", e);
            }
        }
    }

    @Nested
    class Contract extends TransactSuite<Connection> {
        @Override
        protected TransactFixture<Connection> fixture() {
            PostgresFixture fixture = new PostgresFixture();
            return StoreTransact.of(fixture, store -> new Manager(fixture.dataSource()));
        }
    }

    /** What is done with the connections of a database, and a node whose own database is another one, or the same. */
    private interface Doing {
        void with(Postrider<Connection> node, TestDatabase database) throws Exception;
    }

    private static void on(Transact<Connection> transact, TestDatabase database, Doing doing) throws Exception {
        try (Postrider<Connection> node = Postrider.on(database.store(), PostriderConfig.defaults(), transact)) {
            database.execute("CREATE TABLE {effect} (name text)");
            doing.with(node, database);
        }
    }

    private static Object effect(Postrider<Connection> node, TestDatabase database) throws Exception {
        return node.transaction(connection -> {
            insert(connection, database);
            return node.outbox().append(connection, Event.of("letter.sent", "a"));
        });
    }

    private static void insert(Connection connection, TestDatabase database) throws SQLException {
        try (var insert = connection.createStatement()) {
            insert.executeUpdate("INSERT INTO " + database.schema() + ".effect VALUES ('a')");
        }
    }

    private static void assertNothingIn(TestDatabase database) throws SQLException {
        assertThat(database.number("SELECT count(*) FROM {event_log}")).isZero();
        assertThat(database.number("SELECT count(*) FROM {effect}")).isZero();
    }

    @Test
    void a_connection_to_another_database_of_the_same_form_is_refused() throws Exception {
        try (TestDatabase own = TestDatabase.prepared();
                TestDatabase other = TestDatabase.prepared()) {
            other.execute("CREATE TABLE {effect} (name text)");
            on(new Manager(other.dataSource()), own, (node, database) -> {
                assertThatIllegalStateException()
                        .isThrownBy(() -> effect(node, database))
                        .withMessageContaining("the connection leads to database");
                assertNothingIn(database);
                assertNothingIn(other);
            });
        }
    }

    @Test
    void a_connection_in_auto_commit_mode_is_refused() throws Exception {
        try (TestDatabase own = TestDatabase.prepared()) {
            Transact<Connection> committing = new Transact<>() {
                @Override
                public <R> R transact(Work<Connection, R> work) throws Exception {
                    try (Connection connection = own.dataSource().getConnection()) {
                        return work.run(connection);
                    }
                }
            };
            on(committing, own, (node, database) -> {
                assertThatIllegalStateException()
                        .isThrownBy(() -> effect(node, database))
                        .withMessageContaining("auto-commit");
                assertNothingIn(database);
            });
        }
    }

    @Test
    void a_transaction_that_was_ended_under_the_work_is_noticed() throws Exception {
        try (TestDatabase own = TestDatabase.prepared()) {
            on(new Manager(own.dataSource()), own, (node, database) -> {
                assertThatIllegalStateException()
                        .isThrownBy(() -> node.transaction(connection -> {
                            node.outbox().append(connection, Event.of("letter.sent", "a"));
                            connection.unwrap(PgConnection.class).rollback();
                            return "done";
                        }))
                        .withMessageContaining("under the work");
                assertNothingIn(database);
            });
        }
    }

    @Test
    void work_that_touches_no_row_is_no_misuse() throws Exception {
        try (TestDatabase own = TestDatabase.prepared()) {
            on(new Manager(own.dataSource()), own, (node, database) -> {
                String result = node.transaction(connection -> "done");
                assertThat(result).isEqualTo("done");
            });
        }
    }

    @Test
    void an_error_that_the_work_has_hidden_is_no_commit() throws Exception {
        try (TestDatabase own = TestDatabase.prepared()) {
            on(new Manager(own.dataSource()), own, (node, database) -> {
                assertThatExceptionOfType(SQLException.class)
                        .isThrownBy(() -> node.transaction(connection -> {
                            insert(connection, database);
                            try (var statement = connection.createStatement()) {
                                statement.execute("SELECT 1 / 0");
                            } catch (SQLException e) {
                                return "hidden";
                            }
                            return "done";
                        }))
                        .withMessageContaining("hidden");
                assertNothingIn(database);
            });
        }
    }

    @Test
    void a_manager_without_a_connection_is_a_store_that_does_not_answer() throws Exception {
        try (TestDatabase own = TestDatabase.prepared()) {
            Transact<Connection> away = new Transact<>() {
                @Override
                public <R> R transact(Work<Connection, R> work) {
                    throw new UnsupportedOperationException("no connection");
                }
            };
            on(
                    away,
                    own,
                    (node, database) -> assertThatExceptionOfType(StoreException.class)
                            .isThrownBy(() -> effect(node, database))
                            .withMessageContaining("no connection"));
        }
    }
}
