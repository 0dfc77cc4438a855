package io.postrider.chaos;

import io.postrider.store.StoreException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Appends in transactions of one to three events, some of which roll back, also while the server comes and goes. */
final class Writer implements Load.Work {
    static final List<String> KEYS = IntStream.range(0, 100)
            .mapToObj(number -> "key-%02d".formatted(number))
            .toList();

    private static final int EVENTS_MAX = 3;
    private static final double ROLLBACKS = 0.05;
    private static final int PAUSE_MILLIS_MAX = 80;
    private static final Duration WHILE_DOWN = Duration.ofMillis(100);

    private final DataSource dataSource;
    private final KeyTable table;
    private final WriterLedger ledger;
    private final Random random;

    Writer(DataSource dataSource, KeyTable table, WriterLedger ledger, long seed) {
        this.dataSource = dataSource;
        this.table = table;
        this.ledger = ledger;
        this.random = new Random(seed);
    }

    @Override
    public void once() throws InterruptedException {
        Pause.of(Duration.ofMillis(random.nextInt(PAUSE_MILLIS_MAX)));
        try (Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(false);
            write(connection);
        } catch (SQLException e) {
            failed(e);
        } catch (StoreException e) {
            failed(e.getCause() instanceof SQLException cause ? cause : new SQLException(e));
        }
    }

    private void write(Connection connection) throws SQLException {
        List<NumberedEvent> appended = new ArrayList<>();
        try {
            appendSome(connection, appended);
            if (random.nextDouble() < ROLLBACKS) {
                connection.rollback();
                ledger.undone(appended);
                return;
            }
        } catch (SQLException | StoreException e) {
            ledger.undone(appended);
            throw e;
        }
        commit(connection, appended);
    }

    /** Keys are locked in their order, so that writers never wait for each other in a circle. */
    private void appendSome(Connection connection, List<NumberedEvent> appended) throws SQLException {
        int[] chosen = random.ints(1 + random.nextInt(EVENTS_MAX), 0, KEYS.size())
                .sorted()
                .toArray();
        for (int key : chosen) {
            appended.add(table.append(connection, KEYS.get(key)));
        }
    }

    private void commit(Connection connection, List<NumberedEvent> appended) throws SQLException {
        Moment asked = Moment.now();
        try {
            connection.commit();
        } catch (SQLException e) {
            ledger.unknown(appended);
            throw e;
        }
        ledger.committed(appended, asked);
    }

    private void failed(SQLException e) throws InterruptedException {
        ledger.failed(isDown(e.getSQLState()), e);
        Pause.of(WHILE_DOWN);
    }

    /** No connection, or a server that is going down or coming up; the pool reports some of it without a state. */
    private static boolean isDown(@Nullable String state) {
        return state == null || state.startsWith("08") || state.startsWith("57P") || state.startsWith("53");
    }
}
