package io.postrider.postgres.load;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import javax.sql.DataSource;

/** Holds one transaction with an xid open for seconds, then the next, and remembers when one was open. */
final class LongTransaction implements Load.Work {
    private static final Duration BETWEEN = Duration.ofMillis(200);

    private final DataSource dataSource;
    private final Duration hold;
    private final Beginning beginning;
    private final Windows open = new Windows();

    /** What it writes before it waits; the answer is told that the transaction has committed. */
    @FunctionalInterface
    interface Beginning {
        Runnable write(Connection connection) throws SQLException;
    }

    LongTransaction(DataSource dataSource, Duration hold, Beginning beginning) {
        this.dataSource = dataSource;
        this.hold = hold;
        this.beginning = beginning;
    }

    Windows open() {
        return open;
    }

    @Override
    public void once() throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(false);
            Runnable committed = beginning.write(connection);
            Instant from = Instant.now();
            Load.pace(hold);
            open.add(from, Instant.now());
            connection.commit();
            committed.run();
        }
        Load.pace(BETWEEN);
    }
}
