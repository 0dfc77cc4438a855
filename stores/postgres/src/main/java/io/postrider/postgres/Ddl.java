package io.postrider.postgres;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Set;

/**
 * DDL on a log, beside appends. It waits for its locks no longer than {@link #LOCK_TIMEOUT} and gives up then: an
 * append that queues behind a waiting DDL statement waits as long as that does.
 */
final class Ddl {
    /** How long DDL, and so whoever queues behind it, may wait for a lock. */
    static final String LOCK_TIMEOUT = "50ms";

    /**
     * Lock not available, deadlock, rows in the default partition that belong to the new segment, or another node that
     * did the same just before: exists already, gone already.
     */
    private static final Set<String> TRY_AGAIN =
            Set.of("55P03", "40P01", "23514", "42P17", "42P07", "42710", "42704", "42P01", "23505", "XX000");

    private Ddl() {}

    /**
     * Runs statements as one transaction; false if a lock was not to be had, or another node was faster. One round
     * trip, commit included: a client that is paused in the middle would hold appends up. As the owner of the log,
     * whatever member of that role is connected, so that what is made belongs to the owner too.
     */
    static boolean attempt(Jdbc jdbc, Connection connection, String statements) throws SQLException {
        String owner = jdbc.sql("""
                SELECT set_config('role', pg_get_userbyid(relowner), true) FROM pg_class
                WHERE oid = '{outbox_log}'::regclass;
                """);
        try (var statement = connection.createStatement()) {
            statement.execute(
                    "BEGIN; SET LOCAL lock_timeout = '" + LOCK_TIMEOUT + "'; " + owner + statements + "; COMMIT");
            return true;
        } catch (SQLException e) {
            rollback(connection, e);
            if (TRY_AGAIN.contains(e.getSQLState())) {
                return false;
            }
            throw e;
        }
    }

    private static void rollback(Connection connection, SQLException failure) {
        try (var statement = connection.createStatement()) {
            statement.execute("ROLLBACK");
        } catch (SQLException e) {
            failure.addSuppressed(e);
        }
    }
}
