package io.postrider.postgres.load;

import io.postrider.store.StoreException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Appends while the server comes and goes. Only what a synchronous commit has acknowledged is promised to exist; an
 * asynchronous one may be gone after a crash, and so may one whose commit was cut short.
 */
final class CrashWriter implements Load.Work {
    private static final Duration PACE = Duration.ofMillis(30);
    private static final Duration WHILE_DOWN = Duration.ofMillis(100);

    private final DataSource dataSource;
    private final NumberedAppend append;
    private final List<String> keys;
    private final WriterLedger acknowledged;
    private final boolean synchronous;
    private final Random random;

    CrashWriter(
            DataSource dataSource, NumberedAppend append, List<String> keys, WriterLedger acknowledged, int number) {
        this.dataSource = dataSource;
        this.append = append;
        this.keys = keys;
        this.acknowledged = acknowledged;
        this.synchronous = number % 2 == 0;
        this.random = new Random(number);
    }

    @Override
    public void once() throws SQLException {
        Load.pace(PACE);
        try (Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(false);
            NumberedEvent event = appendOne(connection);
            connection.commit();
            if (synchronous) {
                acknowledged.committed(List.of(event));
            }
        } catch (SQLException e) {
            waitIfDown(e);
        } catch (StoreException e) {
            waitIfDown(e.getCause() instanceof SQLException cause ? cause : new SQLException(e));
        }
    }

    private NumberedEvent appendOne(Connection connection) throws SQLException {
        if (!synchronous) {
            try (var statement = connection.createStatement()) {
                statement.execute("SET LOCAL synchronous_commit = off");
            }
        }
        return append.append(connection, keys.get(random.nextInt(keys.size())));
    }

    private static void waitIfDown(SQLException e) throws SQLException {
        if (!isDown(e.getSQLState())) {
            throw e;
        }
        Load.pace(WHILE_DOWN);
    }

    /** No connection, or a server that is going down or coming up; the pool reports some of it without a state. */
    private static boolean isDown(@Nullable String state) {
        return state == null || state.startsWith("08") || state.startsWith("57P");
    }
}
