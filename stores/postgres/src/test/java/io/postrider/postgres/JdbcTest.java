package io.postrider.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Transactions of the engine: all of their statements or none, whatever the work throws. */
class JdbcTest {
    private final TestDatabase database = new TestDatabase();
    private final Jdbc jdbc = new Jdbc(database.dataSource(), database.schema());

    @BeforeEach
    void create() throws SQLException {
        database.execute("CREATE SCHEMA " + database.schema());
        database.execute("CREATE TABLE {written} (number int)");
    }

    @AfterEach
    void close() {
        database.close();
    }

    @Test
    void what_the_work_wrote_before_an_error_is_rolled_back() throws SQLException {
        for (Throwable failure : new Throwable[] {new StackOverflowError("deep"), new IllegalStateException("wrong")}) {
            assertThatThrownBy(() -> jdbc.transaction(connection -> {
                        write(connection);
                        return raise(failure);
                    }))
                    .isSameAs(failure);
            assertThat(database.number("SELECT count(*) FROM {written}")).isZero();
        }
    }

    @Test
    void a_rollback_that_fails_does_not_hide_why_there_was_one() throws SQLException {
        IllegalStateException failure = new IllegalStateException("wrong");
        assertThatThrownBy(() -> jdbc.transaction(connection -> {
                    write(connection);
                    terminate(connection);
                    return raise(failure);
                }))
                .isSameAs(failure)
                .satisfies(thrown -> assertThat(thrown.getSuppressed()).hasSize(1));
        assertThat(database.number("SELECT count(*) FROM {written}")).isZero();
    }

    @Test
    void a_connection_is_in_autocommit_again_after_a_failure() {
        jdbc.autocommit(connection -> {
            assertThatThrownBy(() -> jdbc.transaction(inner -> raise(new IllegalStateException("wrong"))))
                    .hasMessage("wrong");
            assertThat(connection.getAutoCommit()).isTrue();
            return true;
        });
    }

    private void write(Connection connection) throws SQLException {
        try (var statement = connection.createStatement()) {
            statement.execute(jdbc.sql("INSERT INTO {written} VALUES (1)"));
        }
    }

    private void terminate(Connection connection) throws SQLException {
        try (var statement = connection.createStatement();
                var row = statement.executeQuery("SELECT pg_backend_pid()")) {
            row.next();
            database.execute("SELECT pg_terminate_backend(" + row.getInt(1) + ")");
        }
    }

    private static boolean raise(Throwable failure) {
        if (failure instanceof Error error) {
            throw error;
        }
        throw (RuntimeException) failure;
    }
}
