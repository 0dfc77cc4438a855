package io.postrider.benchmarks;

import com.gruelbox.transactionoutbox.ExecutorSubmitter;
import com.gruelbox.transactionoutbox.ThreadLocalContextTransactionManager;
import com.gruelbox.transactionoutbox.TransactionManager;
import com.gruelbox.transactionoutbox.TransactionOutbox;
import com.zaxxer.hikari.HikariDataSource;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/**
 * Drains by the documented loop of flushes, which hand batches to a pool of threads; its queue is unbounded, so that
 * nothing is turned away to be tried again later.
 */
final class GruelboxDrain implements Drain {
    private static final int THREADS = 20;
    private static final int FLUSH_BATCH = 4_096;
    /** What was just stored is due by this clock, without the wait of an attempt's frequency. */
    private static final Clock AHEAD = Clock.offset(Clock.systemUTC(), Duration.ofMinutes(10));

    private static final int FILL_BATCH = 1_000;

    private final Database database;
    private final int events;
    private final HikariDataSource pool;
    private final ThreadLocalContextTransactionManager transactions;

    GruelboxDrain(Database database, int events) {
        this.database = database;
        this.events = events;
        this.pool = database.pool(THREADS + 4);
        this.transactions = TransactionManager.fromDataSource(pool);
    }

    @Override
    public String label() {
        return String.format(
                Locale.ROOT,
                "%s, unordered (it has no order), flush batch %,d, %d threads, %,d events",
                Gruelbox.NAME,
                FLUSH_BATCH,
                THREADS,
                events);
    }

    @Override
    public double drain(Runnable work) throws Exception {
        Backlog backlog = new Backlog(events);
        ExecutorService workers = Executors.newFixedThreadPool(THREADS);
        TransactionOutbox outbox = Gruelbox.outbox(transactions, payload -> backlog.handled(work))
                .submitter(ExecutorSubmitter.builder().executor(workers).build())
                .flushBatchSize(FLUSH_BATCH)
                .clockProvider(() -> AHEAD)
                .build();
        long begin = System.nanoTime();
        while (outbox.flush()) {
            // until nothing is due
        }
        double rate = backlog.awaitRate(begin);
        workers.shutdown();
        workers.awaitTermination(1, TimeUnit.MINUTES);
        Backlog.requireEmpty(database, Gruelbox.TABLE);
        return rate;
    }

    @Override
    public void fill() {
        TransactionOutbox outbox = Gruelbox.storing(transactions);
        for (int from = 0; from < events; from += FILL_BATCH) {
            int first = from;
            transactions.inTransaction(() -> {
                Gruelbox.Receiver receiver = outbox.schedule(Gruelbox.Receiver.class);
                for (int i = first; i < Math.min(events, first + FILL_BATCH); i++) {
                    receiver.receive(Payloads.get(i));
                }
            });
        }
    }

    @Override
    public String backlog() {
        return Gruelbox.TABLE;
    }

    @Override
    public List<String> tables() {
        return List.of(Gruelbox.TABLE);
    }

    @Override
    public void close() {
        pool.close();
    }
}
