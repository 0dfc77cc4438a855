package io.postrider.benchmarks;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.LongFunction;

/** Drains in order per key. A round begins with the first handled event: starting Spring is not measured. */
final class NamastackDrain implements Drain {
    private static final int CONNECTIONS = Namastack.THREADS + 4;
    private static final int FILL_BATCH = 1_000;

    private final Database database;
    private final int events;
    private final LongFunction<String> keys;
    private final HikariDataSource pool;

    NamastackDrain(Database database, int events, LongFunction<String> keys) {
        this.database = database;
        this.events = events;
        this.keys = keys;
        this.pool = database.pool(CONNECTIONS);
    }

    @Override
    public String label() {
        return String.format(
                Locale.ROOT,
                "%s, ordered by key, batch %,d, poll %s, %d threads, %,d events",
                Namastack.NAME,
                Namastack.BATCH,
                Namastack.POLL,
                Namastack.THREADS,
                events);
    }

    @Override
    public void fill() throws SQLException {
        try (Namastack peer = Namastack.storing(pool)) {
            for (int from = 0; from < events; from += FILL_BATCH) {
                int first = from;
                peer.transaction((connection, outbox) -> {
                    for (int i = first; i < Math.min(events, first + FILL_BATCH); i++) {
                        outbox.schedule(new SpringEvent(i, Payloads.get(i)), keys.apply(i));
                    }
                });
            }
        }
        Backlog.requireRows(database, Namastack.TABLE, events);
    }

    @Override
    public double drain(Runnable work) throws Exception {
        Backlog backlog = new Backlog(events);
        try (Namastack peer = Namastack.delivering(pool, () -> backlog.handled(work))) {
            backlog.await();
            double rate = backlog.rateSinceFirst();
            awaitCompleted();
            return rate;
        }
    }

    /** Its rows stay, marked as done. */
    private void awaitCompleted() throws SQLException, InterruptedException {
        String open = Namastack.TABLE + " WHERE status <> 'COMPLETED'";
        for (int tries = 0; database.count(open) > 0 && tries < 100; tries++) {
            TimeUnit.MILLISECONDS.sleep(50);
        }
        Backlog.requireEmpty(database, open);
    }

    @Override
    public String backlog() {
        return Namastack.TABLE;
    }

    @Override
    public List<String> tables() {
        return List.of("bench.outbox\\_%");
    }

    @Override
    public void close() {
        pool.close();
    }
}
