package io.postrider.postgres;

import io.postrider.spi.Transact;
import java.sql.Connection;
import java.sql.SQLException;

/** Transact: a connection of the pool, committed or rolled back. */
final class PostgresTransact implements Transact<Connection> {
    private final Jdbc jdbc;

    PostgresTransact(Jdbc jdbc) {
        this.jdbc = jdbc;
    }

    @Override
    public <R> R transact(Work<Connection, R> work) throws Exception {
        try (Connection connection = jdbc.connection()) {
            connection.setAutoCommit(false);
            try {
                R result = work.run(connection);
                connection.commit();
                return result;
            } catch (Throwable failure) {
                rollback(connection, failure);
                throw failure;
            } finally {
                connection.setAutoCommit(true);
            }
        }
    }

    private static void rollback(Connection connection, Throwable failure) {
        try {
            connection.rollback();
        } catch (SQLException e) {
            failure.addSuppressed(e);
        }
    }
}
