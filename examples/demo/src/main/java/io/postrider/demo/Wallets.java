package io.postrider.demo;

import io.postrider.EventContext;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import javax.sql.DataSource;

/** The receiving side: credits wallets, and fails now and then so that retries can be watched. Thread-safe. */
final class Wallets {
    private static final int FAILS_ONE_IN = 400;

    private final DataSource dataSource;
    private final AtomicLong failures = new AtomicLong();

    Wallets(DataSource dataSource) {
        this.dataSource = dataSource;
    }

    long failures() {
        return failures.get();
    }

    void credit(PayoutGenerated payout, EventContext context) throws SQLException {
        if (ThreadLocalRandom.current().nextInt(FAILS_ONE_IN) == 0) {
            failures.incrementAndGet();
            throw new IllegalStateException("the wallet service is busy, attempt " + context.attempt());
        }
        try (Connection connection = dataSource.getConnection();
                PreparedStatement update = connection.prepareStatement("""
                        INSERT INTO wallet AS w (team, balance) VALUES (?, ?)
                        ON CONFLICT (team) DO UPDATE SET balance = w.balance + excluded.balance
                        """)) {
            update.setString(1, payout.team());
            update.setLong(2, payout.amount());
            update.executeUpdate();
        }
    }
}
