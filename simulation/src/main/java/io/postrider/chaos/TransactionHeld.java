package io.postrider.chaos;

import java.sql.Connection;
import java.time.Duration;
import java.util.List;

/** A session appends and stays idle in its transaction for 8 s; the others must not be late. */
final class TransactionHeld implements Scenario {
    private static final String HOLDER = "holder";
    private static final Duration HELD = Duration.ofSeconds(8);

    @Override
    public String name() {
        return "transaction-held";
    }

    @Override
    public String sentence() {
        return "A session appends and stays idle in its transaction for 8 s; the others must not be late.";
    }

    @Override
    public Fault strike(Cluster cluster) throws Exception {
        Moment begin = Moment.now();
        try (Connection connection = cluster.connect(HOLDER);
                Sessions sessions = cluster.sessions()) {
            connection.setAutoCommit(false);
            NumberedEvent appended = cluster.table().append(connection, Cluster.SPARE_KEY);
            Pause.of(HELD);
            Duration idle = sessions.idleInTransaction(HOLDER);
            connection.commit();
            cluster.ledger().committed(List.of(appended));
            Fault.require(idle.compareTo(HELD) >= 0, "the transaction was open for " + Fault.seconds(idle));
            return new Fault(begin, "transaction open for " + Fault.seconds(idle));
        }
    }
}
