package io.postrider.demo;

import io.postrider.Event;
import io.postrider.Postrider;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;

/** The business side: a payout row and the event that announces it, in one transaction. Thread-safe. */
final class Payouts {
    private static final int TEAMS = 50;
    /** Of a hundred transactions, how many are rolled back: neither row nor event stays. */
    private static final int ROLLED_BACK_PERCENT = 2;

    private final Postrider<Connection> postrider;

    Payouts(Postrider<Connection> postrider) {
        this.postrider = postrider;
    }

    /** Generates one payout; false if its transaction was rolled back. */
    boolean generate() throws Exception {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        PayoutGenerated payout = new PayoutGenerated(
                UUID.randomUUID().toString(), "team-" + random.nextInt(TEAMS), random.nextLong(1, 1_000));
        boolean fails = random.nextInt(100) < ROLLED_BACK_PERCENT;
        try {
            return postrider.transaction(connection -> {
                insert(connection, payout);
                postrider
                        .outbox()
                        .append(connection, Event.of("payout.generated", payout).key(payout.team()));
                if (fails) {
                    throw new RolledBack();
                }
                return true;
            });
        } catch (RolledBack e) {
            return false;
        }
    }

    private static void insert(Connection connection, PayoutGenerated payout) throws SQLException {
        try (PreparedStatement insert =
                connection.prepareStatement("INSERT INTO payout (id, team, amount) VALUES (?::uuid, ?, ?)")) {
            insert.setString(1, payout.payout());
            insert.setString(2, payout.team());
            insert.setLong(3, payout.amount());
            insert.executeUpdate();
        }
    }

    /** The business said no. */
    private static final class RolledBack extends Exception {
        private static final long serialVersionUID = 1L;
    }
}
