package io.postrider.benchmarks.scenarios;

import com.zaxxer.hikari.HikariDataSource;
import io.postrider.EventContext;
import io.postrider.benchmarks.measure.Contender;
import io.postrider.benchmarks.measure.Database;
import io.postrider.benchmarks.measure.PostriderRun;
import io.postrider.benchmarks.measure.Versions;
import io.postrider.operate.By;
import io.postrider.operate.Removal;
import io.postrider.policy.Start;
import io.postrider.postgres.PostgresStore;
import io.postrider.store.Store;
import java.sql.Connection;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.function.LongFunction;

/**
 * Drains the log with a new subscription each round: ordered by key, from the beginning, in the default configuration.
 * The log is filled once, because delivering does not empty it.
 */
final class PostriderDrain implements Drain, Contender {
    static final int CONNECTIONS = 20;

    private final Database database;
    private final int events;
    private final LongFunction<String> keys;
    private final HikariDataSource pool;
    private final Store<Connection> store;
    private int rounds;

    PostriderDrain(Database database, int events, LongFunction<String> keys) {
        this.database = database;
        this.events = events;
        this.keys = keys;
        this.pool = database.pool(CONNECTIONS);
        this.store = PostgresStore.of(pool);
    }

    @Override
    public String label() {
        return String.format(Locale.ROOT, "postrider %s, %,d events", Versions.of("postrider"), events);
    }

    @Override
    public String how() {
        return "ordered by key, default configuration, one node";
    }

    @Override
    public void fill() throws Exception {
        PostriderRun.fill(store, events, keys);
    }

    @Override
    public double round() throws Exception {
        database.settleDown();
        return drain(() -> {});
    }

    @Override
    public double drain(Runnable work) throws Exception {
        return drainWith(context -> work.run());
    }

    /** The subscription stays until the next: what removing it costs is no part of delivering. */
    double drainWith(Consumer<EventContext> work) throws Exception {
        store.operate().remove(subscription(), new By("benchmark", "the round is over"), Removal.DROPPING);
        rounds++;
        return PostriderRun.drain(store, subscription(), Start.beginning(), events, work);
    }

    private String subscription() {
        return "drain-" + rounds;
    }

    @Override
    public String backlog() {
        return "postrider.event_log";
    }

    @Override
    public List<String> tables() {
        return List.of("postrider.%");
    }

    @Override
    public void close() {
        pool.close();
    }
}
