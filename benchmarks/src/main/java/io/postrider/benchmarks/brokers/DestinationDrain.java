package io.postrider.benchmarks.brokers;

import com.zaxxer.hikari.HikariDataSource;
import io.postrider.benchmarks.measure.Contender;
import io.postrider.benchmarks.measure.Database;
import io.postrider.benchmarks.measure.Payloads;
import io.postrider.benchmarks.measure.PostriderRun;
import io.postrider.benchmarks.measure.Versions;
import io.postrider.operate.By;
import io.postrider.operate.Removal;
import io.postrider.postgres.PostgresStore;
import io.postrider.store.Store;
import java.sql.Connection;
import java.util.Locale;

/** Drains a log to a broker, with a new subscription each round. The log is filled once. */
final class DestinationDrain implements Contender {
    private static final int CONNECTIONS = 20;

    private final Database database;
    private final int events;
    private final Place place;
    private final Store<Connection> store;
    private int rounds;

    private DestinationDrain(Database database, int events, Place place) {
        this.database = database;
        this.events = events;
        this.place = place;
        HikariDataSource pool = database.pool(CONNECTIONS);
        this.store = PostgresStore.of(pool);
    }

    static DestinationDrain fill(Database database, int events, Place place) throws Exception {
        DestinationDrain drain = new DestinationDrain(database, events, place);
        PostriderRun.fill(drain.store, events, Payloads::key);
        return drain;
    }

    @Override
    public String label() {
        return String.format(Locale.ROOT, "postrider %s, %,d events", Versions.of("postrider"), events);
    }

    @Override
    public String how() {
        return "reads its log in PostgreSQL, ordered by each of " + Payloads.KEYS + " keys; until the last event is"
                + " acknowledged by the broker and settled in PostgreSQL; default configuration, one node; to "
                + place.what();
    }

    @Override
    public double round() throws Exception {
        place.renew();
        store.operate().remove(subscription(), new By("benchmark", "the round is over"), Removal.DROPPING);
        rounds++;
        database.settleDown();
        double rate =
                place.reach(destination -> PostriderRun.dispatch(database, store, subscription(), events, destination));
        place.requireStored(events);
        return rate;
    }

    private String subscription() {
        return "drain-" + rounds;
    }
}
