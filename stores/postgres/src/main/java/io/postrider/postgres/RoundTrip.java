package io.postrider.postgres;

import io.postrider.store.StoreException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Objects;

/** Statements that are one transaction, with its BEGIN and COMMIT, and are sent together: no lock outlives them. */
final class RoundTrip {
    private final PreparedStatement statements;
    private boolean sent;

    private RoundTrip(PreparedStatement statements) {
        this.statements = statements;
    }

    /** Binds parameters and reads results. */
    @FunctionalInterface
    interface Work<R> {
        R run(RoundTrip trip) throws SQLException;
    }

    static <R> R make(Connection connection, String statements, Work<R> work) throws SQLException {
        try (PreparedStatement prepared = connection.prepareStatement(statements)) {
            return work.run(new RoundTrip(prepared));
        } catch (SQLException | RuntimeException e) {
            rollback(connection);
            throw e;
        }
    }

    private static void rollback(Connection connection) {
        try (var statement = connection.createStatement()) {
            statement.execute("ROLLBACK");
        } catch (SQLException ignored) {
            // The connection is broken; the pool finds out by itself, and the first failure is the one that counts.
        }
    }

    PreparedStatement parameters() {
        return statements;
    }

    /** The rows of the next statement that has some; the first call sends them all. */
    ResultSet next() throws SQLException {
        if (sent) {
            statements.getMoreResults();
        } else {
            statements.execute();
            sent = true;
        }
        while (statements.getResultSet() == null) {
            if (!statements.getMoreResults() && statements.getUpdateCount() == -1) {
                throw new StoreException("there are fewer results than statements");
            }
        }
        return Objects.requireNonNull(statements.getResultSet());
    }
}
