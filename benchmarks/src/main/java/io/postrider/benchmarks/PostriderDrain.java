package io.postrider.benchmarks;

import com.zaxxer.hikari.HikariDataSource;
import io.postrider.Event;
import io.postrider.Payload;
import io.postrider.Postrider;
import io.postrider.postgres.PostgresStore;
import io.postrider.spi.Store;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * Drains the log with a new subscription each round: ordered by key, from the beginning, in the default configuration.
 * A round begins before the subscription is registered and ends when the last event is settled.
 */
final class PostriderDrain implements Contender, AutoCloseable {
    private static final int CONNECTIONS = 20;
    private static final int FILL_BATCH = 1_000;
    private static final Duration SETTLE_WITHIN = Duration.ofMinutes(1);

    private final Database database;
    private final int events;
    private final HikariDataSource pool;
    private final Store<Connection> store;
    private int rounds;

    PostriderDrain(Database database, int events) throws Exception {
        this.database = database;
        this.events = events;
        this.pool = database.pool(CONNECTIONS);
        this.store = PostgresStore.of(pool);
        fill();
    }

    @Override
    public String label() {
        return String.format(
                Locale.ROOT,
                "postrider %s, ordered by key, default configuration, one node, %,d events",
                Versions.of("postrider"),
                events);
    }

    @Override
    public double round() throws Exception {
        database.settleDown();
        String subscription = "drain-" + ++rounds;
        Backlog backlog = new Backlog(events);
        try (Postrider<Connection> node = Postrider.on(store)) {
            long begin = System.nanoTime();
            node.subscribe(subscription)
                    .on(Payloads.TYPE, (payload, context) -> backlog.handled())
                    .start();
            backlog.await();
            awaitSettled(subscription);
            return backlog.rateSince(begin);
        } finally {
            store.remove(subscription);
        }
    }

    /** Handled is not yet delivered: without its settlement, an event would come again. */
    private void awaitSettled(String subscription) throws InterruptedException {
        long deadline = System.nanoTime() + SETTLE_WITHIN.toNanos();
        while (store.progress(subscription).counts().delivered() < events) {
            if (System.nanoTime() > deadline) {
                throw new IllegalStateException("handled, but not settled within " + SETTLE_WITHIN + ": "
                        + store.progress(subscription).counts());
            }
            TimeUnit.MILLISECONDS.sleep(1);
        }
    }

    private void fill() throws Exception {
        try (Postrider<Connection> node = Postrider.on(store)) {
            for (int from = 0; from < events; from += FILL_BATCH) {
                List<Event> batch = new ArrayList<>(FILL_BATCH);
                for (int i = from; i < Math.min(events, from + FILL_BATCH); i++) {
                    batch.add(Event.of(Payloads.TYPE, Payload.json(Payloads.get(i)))
                            .key(Payloads.key(i)));
                }
                node.transaction(transaction -> node.outbox().append(transaction, batch));
            }
        }
    }

    @Override
    public void close() {
        pool.close();
    }
}
