package io.postrider.benchmarks;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/**
 * Drains by the documented resubmission of incomplete publications, which hands each to an executor whose queue is
 * unbounded. A round begins with the resubmission; starting Spring is not measured.
 */
final class ModulithDrain implements Drain {
    private static final int THREADS = 20;
    private static final int FILL_BATCH = 1_000;

    private final Database database;
    private final int events;
    private final HikariDataSource pool;

    ModulithDrain(Database database, int events) {
        this.database = database;
        this.events = events;
        this.pool = database.pool(THREADS + 4);
    }

    @Override
    public String label() {
        return String.format(
                Locale.ROOT,
                "%s, unordered (it has no order), completion by delete, %d threads, %,d events",
                Modulith.NAME,
                THREADS,
                events);
    }

    @Override
    public void fill() throws SQLException {
        try (Modulith peer = Modulith.storing(pool)) {
            for (int from = 0; from < events; from += FILL_BATCH) {
                int first = from;
                peer.transaction((connection, publisher) -> {
                    for (int i = first; i < Math.min(events, first + FILL_BATCH); i++) {
                        publisher.publishEvent(new SpringEvent(i, Payloads.get(i)));
                    }
                });
            }
        }
        Backlog.requireRows(database, Modulith.TABLE, events);
    }

    @Override
    public double drain(Runnable work) throws Exception {
        Backlog backlog = new Backlog(events);
        ExecutorService workers = Executors.newFixedThreadPool(THREADS);
        try (Modulith peer = Modulith.delivering(pool, workers, () -> backlog.handled(work))) {
            long begin = System.nanoTime();
            peer.resubmit();
            double rate = backlog.awaitRate(begin);
            workers.shutdown();
            workers.awaitTermination(1, TimeUnit.MINUTES);
            requireEmpty();
            return rate;
        }
    }

    private void requireEmpty() throws SQLException {
        Backlog.requireEmpty(database, Modulith.TABLE);
    }

    @Override
    public String backlog() {
        return Modulith.TABLE;
    }

    @Override
    public List<String> tables() {
        return List.of("bench.event\\_publication%");
    }

    @Override
    public void close() {
        pool.close();
    }
}
