package io.postrider.benchmarks.measure;

import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** Events that are still to be handled: the no-op handler of every contender counts them down. Thread-safe. */
public final class Backlog {
    private static final Duration PATIENCE = Duration.ofMinutes(5);

    private final long events;
    private final CountDownLatch left;
    private final AtomicLong first = new AtomicLong();

    public Backlog(int events) {
        this.events = events;
        this.left = new CountDownLatch(events);
    }

    public void handled() {
        begin();
        left.countDown();
    }

    /** Looks before it writes: this is called for each event, by several threads. */
    private void begin() {
        if (first.get() == 0) {
            first.compareAndSet(0, System.nanoTime());
        }
    }

    /** Does the work of the handler first. */
    public void handled(Runnable work) {
        begin();
        work.run();
        left.countDown();
    }

    public void await() throws InterruptedException {
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

    /** The rate since the first handler was entered, for who needs long to start. */
    public double rateSinceFirst() {
        return rateSince(first.get());
    }

    public double rateSince(long begin) {
        return events * 1e9 / (System.nanoTime() - begin);
    }

    /** A backlog that was not stored cannot be drained. */
    public static void requireRows(Database database, String table, int events) throws SQLException {
        long rows = database.count(table);
        if (rows != events) {
            throw new IllegalStateException(table + " has " + rows + " rows, not the " + events + " of the backlog");
        }
    }

    /** A drain that left something behind was none. */
    static void requireEmpty(Database database, String table) throws SQLException {
        long rows = database.count(table);
        if (rows != 0) {
            throw new IllegalStateException(table + " still has " + rows + " rows after the drain");
        }
    }
}
