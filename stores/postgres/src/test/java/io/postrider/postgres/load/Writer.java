package io.postrider.postgres.load;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import javax.sql.DataSource;

/** Appends in transactions of one to three events; some roll back, some use savepoints, some dawdle. */
final class Writer implements Load.Work {
    private static final double ROLLBACKS = 0.025;
    private static final double SAVEPOINTS = 0.2;
    private static final double DAWDLES = 0.2;
    private static final Duration DAWDLE = Duration.ofMillis(20);
    private static final Duration PACE = Duration.ofMillis(120);
    private static final int EVENTS_MAX = 3;

    private final DataSource dataSource;
    private final NumberedAppend append;
    private final List<String> keys;
    private final WriterLedger ledger;
    private final Random random;

    Writer(DataSource dataSource, NumberedAppend append, List<String> keys, WriterLedger ledger, long seed) {
        this.dataSource = dataSource;
        this.append = append;
        this.keys = keys;
        this.ledger = ledger;
        this.random = new Random(seed);
    }

    @Override
    public void once() throws SQLException {
        Load.pace(PACE.multipliedBy(random.nextInt(100)).dividedBy(100));
        try (Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(false);
            List<NumberedEvent> appended = appendSome(connection);
            dawdle();
            if (random.nextDouble() < ROLLBACKS) {
                connection.rollback();
                ledger.undone(appended);
            } else {
                connection.commit();
                ledger.committed(appended);
            }
        }
    }

    /** Keys are locked in their order, so that writers never wait for each other in a circle. */
    private List<NumberedEvent> appendSome(Connection connection) throws SQLException {
        List<NumberedEvent> appended = new ArrayList<>();
        List<String> chosen = random.ints(1 + random.nextInt(EVENTS_MAX), 0, keys.size())
                .sorted()
                .mapToObj(keys::get)
                .toList();
        for (String key : chosen) {
            if (random.nextDouble() < SAVEPOINTS) {
                appendWithSavepoint(connection, key, appended);
            } else {
                appended.add(append.append(connection, key));
            }
            dawdle();
        }
        return appended;
    }

    private void appendWithSavepoint(Connection connection, String key, List<NumberedEvent> appended)
            throws SQLException {
        Savepoint savepoint = connection.setSavepoint();
        NumberedEvent event = append.append(connection, key);
        if (random.nextBoolean()) {
            connection.rollback(savepoint);
            ledger.undone(List.of(event));
        } else {
            connection.releaseSavepoint(savepoint);
            appended.add(event);
        }
    }

    private void dawdle() {
        if (random.nextDouble() < DAWDLES) {
            Load.pace(DAWDLE.multipliedBy(random.nextInt(100)).dividedBy(100));
        }
    }
}
