package io.postrider.chaos;

import io.postrider.operate.Counts;
import io.postrider.operate.Ledger;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;

/** What several scenarios promise beyond the guarantees. */
final class Promises {
    private static final Duration PATIENCE = Duration.ofSeconds(15);

    private Promises() {}

    /** Soon after the last arrival the ledger has every committed event as delivered, and nothing waits anywhere. */
    static List<String> everythingIsSettled(Cluster cluster) throws Exception {
        long committed;
        try (Connection connection = cluster.connect("harness")) {
            committed = KeyTable.committed(connection).size();
        }
        Ledger whole = new Ledger(new Counts(committed, 0, 0, 0, 0, 0), 0);
        try (Operator operator = cluster.operator()) {
            return Pause.until(PATIENCE, () -> operator.ledger().equals(whole))
                    ? List.of()
                    : List.of("of " + committed + " committed events the ledger says " + operator.ledger());
        }
    }

    /** The writers are spared altogether: there is nothing that could be down for them. */
    static List<String> noTransactionFailed(Cluster cluster) {
        return cluster.ledger().failures().stream()
                .filter(WriterLedger.Failure::down)
                .map(failure -> "a writer's transaction failed: " + failure.why())
                .toList();
    }
}
