package io.postrider.postgres;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * DDL on a log, beside appends. It waits for its locks no longer than its patience and gives up then: an append that
 * queues behind a waiting DDL statement waits as long as that does.
 */
final class Ddl {
    private static final Logger LOG = LoggerFactory.getLogger(Ddl.class);

    /** How long DDL, and so whoever queues behind it, may wait for a lock. */
    static final Duration PATIENCE = Duration.ofMillis(50);

    /** Lock not available, deadlock: as expected beside appends. */
    private static final Set<String> LOCKED = Set.of("55P03", "40P01");

    /**
     * Rows in the default partition that belong to the new segment, or another node that did the same just before:
     * exists already, gone already, changed meanwhile. Any of them may also be a fault that stays, so they are told.
     */
    private static final Set<String> TRY_AGAIN =
            Set.of("23514", "42P17", "42P07", "42710", "42704", "42P01", "23505", "XX000");

    /** What was told: kinds of failures, schema by schema. */
    private static final Set<String> TOLD = ConcurrentHashMap.newKeySet();

    private Ddl() {}

    /**
     * Runs statements as one READ COMMITTED transaction, so that they see what was committed while a lock was waited
     * for; false if a lock was not to be had, or another node was faster. One round trip, commit included: a client
     * that is paused in the middle would hold appends up. As the owner of the log, whatever member of that role is
     * connected, so that what is made belongs to the owner too.
     */
    static boolean attempt(Jdbc jdbc, Connection connection, String statements) throws SQLException {
        return attempt(jdbc, connection, PATIENCE, statements);
    }

    static boolean attempt(Jdbc jdbc, Connection connection, Duration patience, String statements) throws SQLException {
        String owner = jdbc.sql("""
                SELECT set_config('role', pg_get_userbyid(relowner), true) FROM pg_class
                WHERE oid = '{event_log}'::regclass;
                """);
        try (var statement = connection.createStatement()) {
            statement.execute(SessionIsolation.BEGIN + "; SET LOCAL lock_timeout = '" + patience.toMillis() + "ms'; "
                    + owner + statements + "; COMMIT");
            return true;
        } catch (SQLException e) {
            rollback(connection, e);
            if (LOCKED.contains(e.getSQLState())) {
                return false;
            }
            if (TRY_AGAIN.contains(e.getSQLState())) {
                tell(jdbc.sql("{event_log}"), e);
                return false;
            }
            throw e;
        }
    }

    /** Once for each kind: a fault that stays would be told with every prune. */
    private static void tell(String log, SQLException failure) {
        String message = "DDL beside {} failed with {} and is tried again with the next prune."
                + " Another node may have been faster;"
                + " if segments no longer come and go, this is why. Each kind is told once";
        if (TOLD.add(log + " " + failure.getSQLState())) {
            LOG.warn(message, log, failure.getSQLState(), failure);
        } else {
            LOG.debug(message, log, failure.getSQLState(), failure);
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
