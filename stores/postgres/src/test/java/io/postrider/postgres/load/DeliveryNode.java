package io.postrider.postgres.load;

import com.zaxxer.hikari.HikariDataSource;
import io.postrider.Postrider;
import io.postrider.PostriderConfig;
import io.postrider.policy.NodeLimits;
import io.postrider.postgres.PostgresStore;
import java.nio.file.Path;
import java.sql.Connection;
import java.time.Duration;

/** A node as a process of its own: delivers into a ledger until its input ends, or until it is killed. */
final class DeliveryNode {
    static final String SUBSCRIPTION = "ledger";
    static final String READY = "ready";
    static final Duration LEASE = Duration.ofSeconds(2);

    private DeliveryNode() {}

    public static void main(String[] arguments) throws Exception {
        Database database = Database.inherited();
        try (HikariDataSource pool = database.pool(8);
                ArrivalLedger ledger = ArrivalLedger.open(Path.of(arguments[0]));
                Postrider<Connection> postrider = Postrider.on(PostgresStore.of(pool), config())) {
            postrider
                    .subscribe(SUBSCRIPTION)
                    .on(NumberedEvent.TYPE, NumberedEvent.Content.class, ledger::arrived)
                    .start();
            System.out.println(READY);
            waitForEndOfInput();
        }
    }

    private static PostriderConfig config() {
        return PostriderConfig.defaults()
                .limits(NodeLimits.builder().lease(LEASE).build());
    }

    /** The input ends when the process that started this one wants it, and also when that one is gone. */
    static void waitForEndOfInput() throws java.io.IOException {
        while (System.in.read() >= 0) {
            // Nothing is ever written to it.
        }
    }
}
