package io.postrider.postgres;

import io.postrider.Transact;
import io.postrider.store.StoreException;
import java.sql.Connection;
import java.sql.SQLException;
import org.postgresql.core.TransactionState;
import org.postgresql.jdbc.PgConnection;

/** Transact: a connection of the pool, committed or rolled back. */
final class PostgresTransact implements Transact<Connection> {
    private final Jdbc jdbc;

    PostgresTransact(Jdbc jdbc) {
        this.jdbc = jdbc;
    }

    @Override
    public <R> R transact(Work<Connection, R> work) throws Exception {
        try (Connection connection = connect()) {
            try {
                R result = work.run(LentConnection.of(connection));
                commit(connection);
                return result;
            } catch (Exception failure) {
                throw Jdbc.rollBack(connection, failure) ? failure : broken(failure);
            } catch (Error failure) {
                Jdbc.rollBack(connection, failure);
                throw failure;
            }
        }
    }

    private Connection connect() {
        try {
            Connection connection = jdbc.connection();
            connection.setAutoCommit(false);
            return connection;
        } catch (SQLException e) {
            throw Jdbc.failure(e);
        }
    }

    /**
     * PostgreSQL answers the commit of a transaction that has had an error with a rollback, and the driver says
     * nothing: whoever hid the error would believe that all is well.
     */
    private static void commit(Connection connection) throws SQLException {
        requireNoHiddenError(connection);
        try {
            connection.commit();
            connection.setAutoCommit(true);
        } catch (SQLException e) {
            throw Jdbc.unknownOrRefused(e);
        }
    }

    static SQLException hidden() {
        return new SQLException("an error in the transaction was hidden: it cannot be committed", "25P02");
    }

    static void requireNoHiddenError(Connection connection) throws SQLException {
        if (hasFailed(connection)) {
            throw hidden();
        }
    }

    private static boolean hasFailed(Connection connection) throws SQLException {
        PgConnection driver = DriverConnection.behind(connection);
        return driver != null && driver.getTransactionState() == TransactionState.FAILED;
    }

    /**
     * The connection broke while the work ran, of which only the rollback tells for sure: the work may hide the error,
     * or may have met one of a database of its own.
     */
    private static StoreException broken(Exception failure) {
        return new StoreException("the connection broke in a transaction: " + failure.getMessage(), failure);
    }
}
