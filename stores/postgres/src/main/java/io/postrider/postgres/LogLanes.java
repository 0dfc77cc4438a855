package io.postrider.postgres;

import io.postrider.Lane;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.OptionalInt;

/**
 * How many lanes the log has: a function of its schema, which was made with the number, and so never changes. The
 * number is read once, by the first caller, on the connection of that caller where it has one. Thread-safe.
 */
final class LogLanes {
    private static final int UNREAD = 0;

    private final Jdbc jdbc;
    private final OptionalInt wanted;
    private volatile int count = UNREAD;

    /** Empty wants as many as the log has. */
    LogLanes(Jdbc jdbc, OptionalInt wanted) {
        this.jdbc = jdbc;
        this.wanted = wanted;
    }

    int count() {
        return count == UNREAD ? jdbc.autocommit(this::count) : count;
    }

    /**
     * The same on a connection that the caller has.
     *
     * @throws IllegalStateException if the store was told another number
     */
    int count(Connection connection) throws SQLException {
        if (count == UNREAD) {
            count = required(read(connection));
        }
        return count;
    }

    /** Compares the log with what the store was told, as far as the role may ask: one that appends may. */
    void check(Connection connection) throws SQLException {
        if (mayAsk(connection)) {
            count(connection);
        }
    }

    private int required(int found) {
        if (wanted.orElse(found) != found) {
            throw new IllegalStateException("the log in schema '" + jdbc.schema() + "' has " + found
                    + " lanes, as was chosen when the schema was made, and this store is configured for "
                    + wanted.getAsInt()
                    + ": leave PostgresStoreConfig.lanes out, or start another log in a schema of its own");
        }
        return Lane.requireCount(found);
    }

    private int read(Connection connection) throws SQLException {
        try (var statement = connection.createStatement();
                ResultSet row = statement.executeQuery(jdbc.sql("SELECT {lanes}()"))) {
            row.next();
            return row.getInt(1);
        }
    }

    private boolean mayAsk(Connection connection) throws SQLException {
        try (var statement = connection.createStatement();
                ResultSet row = statement.executeQuery(
                        jdbc.sql("SELECT pg_catalog.has_function_privilege('{lanes}()', 'EXECUTE')"))) {
            row.next();
            return row.getBoolean(1);
        }
    }
}
