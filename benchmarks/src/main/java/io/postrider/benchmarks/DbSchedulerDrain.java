package io.postrider.benchmarks;

import com.github.kagkarlsson.scheduler.Scheduler;
import com.github.kagkarlsson.scheduler.SchedulerClient;
import com.github.kagkarlsson.scheduler.task.TaskInstance;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Drains due one-time tasks. The polling strategy and its limits are those of its author's throughput tests on
 * PostgreSQL (its pull request 175). In alternating rounds on two busy cores, 40 threads were faster than 8 and 20,
 * limits of 1 and 4 were slower, and 100 threads with 2 and 6 could not be told apart from this.
 */
final class DbSchedulerDrain implements Drain {
    private static final int THREADS = 40;
    private static final double LOWER_LIMIT = 4;
    private static final double UPPER_LIMIT = 20;
    private static final Duration POLL = Duration.ofMillis(100);
    private static final int FILL_BATCH = 1_000;

    private final Database database;
    private final int events;
    private final HikariDataSource pool;

    DbSchedulerDrain(Database database, int events) throws SQLException {
        this.database = database;
        this.events = events;
        DbScheduler.create(database);
        this.pool = database.pool(THREADS + 4);
    }

    @Override
    public String label() {
        return String.format(
                Locale.ROOT,
                "%s, unordered (it has no order), lock-and-fetch %.0f/%.0f, %d threads, %,d events",
                DbScheduler.NAME,
                LOWER_LIMIT,
                UPPER_LIMIT,
                THREADS,
                events);
    }

    @Override
    public double drain(Runnable work) throws Exception {
        Backlog backlog = new Backlog(events);
        DbScheduler peer = new DbScheduler(() -> backlog.handled(work));
        Scheduler scheduler = Scheduler.create(pool, peer.task())
                .serializer(new DbScheduler.Text())
                .threads(THREADS)
                .pollUsingLockAndFetch(LOWER_LIMIT, UPPER_LIMIT)
                .pollingInterval(POLL)
                .build();
        long begin = System.nanoTime();
        scheduler.start();
        double rate = backlog.awaitRate(begin);
        scheduler.stop();
        Backlog.requireEmpty(database, DbScheduler.TABLE);
        return rate;
    }

    @Override
    public void fill() {
        DbScheduler peer = new DbScheduler(() -> {});
        SchedulerClient client = SchedulerClient.Builder.create(pool, peer.task())
                .serializer(new DbScheduler.Text())
                .build();
        Instant due = Instant.now();
        for (int from = 0; from < events; from += FILL_BATCH) {
            List<TaskInstance<?>> batch = new ArrayList<>(FILL_BATCH);
            for (int i = from; i < Math.min(events, from + FILL_BATCH); i++) {
                batch.add(peer.instance(Payloads.get(i)));
            }
            client.scheduleBatch(batch, due);
        }
    }

    @Override
    public String backlog() {
        return DbScheduler.TABLE;
    }

    @Override
    public List<String> tables() {
        return List.of(DbScheduler.TABLE);
    }

    @Override
    public void close() {
        pool.close();
    }
}
