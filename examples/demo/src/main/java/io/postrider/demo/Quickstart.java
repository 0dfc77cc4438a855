package io.postrider.demo;

import io.postrider.Event;
import io.postrider.Postrider;
import io.postrider.postgres.PostgresStore;
import java.sql.Connection;
import javax.sql.DataSource;

/** What the README's first screen shows. */
final class Quickstart {
    private Quickstart() {}

    record PayoutGenerated(String payout) {}

    interface Wallet {
        void credit(PayoutGenerated payout);
    }

    static Postrider<Connection> start(DataSource dataSource, Connection connection, Wallet wallet) {
        var postrider = Postrider.on(PostgresStore.of(dataSource));

        // inside your own transaction, beside your own writes
        postrider
                .outbox()
                .append(
                        connection,
                        Event.of("payout.generated", new PayoutGenerated("p_001"))
                                .key("team-555"));

        // on any node
        postrider
                .subscribe("wallet")
                .on("payout.generated", PayoutGenerated.class, (payout, context) -> wallet.credit(payout))
                .start();
        return postrider;
    }
}
