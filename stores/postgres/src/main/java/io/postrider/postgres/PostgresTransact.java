package io.postrider.postgres;

import io.postrider.spi.Transact;
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
            } catch (Throwable failure) {
                quietly(connection::rollback, failure);
                quietly(() -> connection.setAutoCommit(true), failure);
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
        if (hasFailed(connection)) {
            throw new SQLException("an error in the transaction was hidden: it cannot be committed", "25P02");
        }
        try {
            connection.commit();
            connection.setAutoCommit(true);
        } catch (SQLException e) {
            throw Jdbc.unknownOrRefused(e);
        }
    }

    private static boolean hasFailed(Connection connection) throws SQLException {
        return connection.isWrapperFor(PgConnection.class)
                && connection.unwrap(PgConnection.class).getTransactionState() == TransactionState.FAILED;
    }

    /** A call that may fail too, once something has. */
    private interface Cleaning {
        void run() throws SQLException;
    }

    private static void quietly(Cleaning cleaning, Throwable failure) {
        try {
            cleaning.run();
        } catch (SQLException e) {
            failure.addSuppressed(e);
        }
    }
}
