package io.postrider.chaos;

import java.sql.Connection;
import java.time.Duration;
import java.util.List;

/** A session appends and stays idle in its transaction for 8 s; the others must not be late. */
final class TransactionHeld implements Scenario {
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
    public Moment strike(Cluster cluster) throws Exception {
        Moment begin = Moment.now();
        try (Connection connection = cluster.connect("holder")) {
            connection.setAutoCommit(false);
            NumberedEvent held = cluster.table().append(connection, Cluster.SPARE_KEY);
            Pause.of(HELD);
            connection.commit();
            cluster.ledger().committed(List.of(held));
        }
        return begin;
    }
}
