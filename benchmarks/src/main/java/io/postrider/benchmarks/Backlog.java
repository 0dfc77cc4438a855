package io.postrider.benchmarks;

import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Events that are still to be handled: the no-op handler of every contender counts them down. Thread-safe. */
final class Backlog {
    private static final Duration PATIENCE = Duration.ofMinutes(3);

    private final long events;
    private final CountDownLatch left;

    Backlog(int events) {
        this.events = events;
        this.left = new CountDownLatch(events);
    }

    void handled() {
        left.countDown();
    }

    void await() throws InterruptedException {
        if (!left.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
            throw new IllegalStateException(
                    left.getCount() + " of " + events + " events were not handled within " + PATIENCE);
        }
    }

    /** Waits for the last event; the rate per second since {@code begin}. */
    double awaitRate(long begin) throws InterruptedException {
        await();
        return rateSince(begin);
    }

    double rateSince(long begin) {
        return events * 1e9 / (System.nanoTime() - begin);
    }

    /** A drain that left something behind was none. */
    static void requireEmpty(Database database, String table) throws SQLException {
        long rows = database.count(table);
        if (rows != 0) {
            throw new IllegalStateException(table + " still has " + rows + " rows after the drain");
        }
    }
}
