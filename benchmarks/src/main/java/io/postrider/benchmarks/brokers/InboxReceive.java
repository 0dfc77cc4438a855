package io.postrider.benchmarks.brokers;

import com.zaxxer.hikari.HikariDataSource;
import io.postrider.Postrider;
import io.postrider.ReceiveOptions;
import io.postrider.Receiving;
import io.postrider.benchmarks.measure.Backlog;
import io.postrider.benchmarks.measure.Contender;
import io.postrider.benchmarks.measure.Database;
import io.postrider.benchmarks.measure.Payloads;
import io.postrider.benchmarks.measure.PostriderRun;
import io.postrider.benchmarks.measure.Versions;
import io.postrider.benchmarks.measure.Waiting;
import io.postrider.nats.JetStreamSource;
import io.postrider.nats.JetStreamSourceConfig;
import io.postrider.nats.Servers;
import io.postrider.postgres.PostgresStore;
import io.postrider.store.Store;
import java.sql.Connection;
import java.util.Locale;

/** Receives a stream into an empty log and handles it from there, with a new consumer each round. */
final class InboxReceive implements Contender {
    private static final int CONNECTIONS = 20;
    private static final String SUBSCRIPTION = "inbox";

    private final Database database;
    private final JetStreamPlace place;
    private final int messages;
    private final HikariDataSource pool;
    private int rounds;

    InboxReceive(Database database, JetStreamPlace place, int messages) {
        this.database = database;
        this.place = place;
        this.messages = messages;
        this.pool = database.pool(CONNECTIONS);
    }

    @Override
    public String label() {
        return String.format(Locale.ROOT, "postrider %s receive, %,d messages", Versions.of("postrider"), messages);
    }

    @Override
    public String how() {
        return "pulls up to " + ReceiveOptions.DEFAULT.most() + " messages, stores those that are new in PostgreSQL,"
                + " commits, acknowledges, and hands them to a handler that does nothing, in order by key; until the"
                + " last is settled; default configuration, one node";
    }

    @Override
    public double round() throws Exception {
        database.clear();
        Store<Connection> store = PostgresStore.of(pool);
        database.settleDown();
        String durable = "inbox-" + rounds++;
        double rate = receive(store, durable);
        Waiting.until("all messages are acknowledged", () -> place.isConsumed(durable));
        place.forget(durable);
        return rate;
    }

    private double receive(Store<Connection> store, String durable) throws Exception {
        JetStreamSourceConfig config = JetStreamSourceConfig.of(
                        Servers.at(place.server()), JetStreamPlace.STREAM, durable)
                .create(true);
        Backlog backlog = new Backlog(messages);
        try (JetStreamSource source = JetStreamSource.open(config);
                Postrider<Connection> node = Postrider.on(store)) {
            node.subscribe(SUBSCRIPTION)
                    .on(Payloads.TYPE, (payload, context) -> backlog.handled())
                    .start();
            long begin = System.nanoTime();
            try (Receiving receiving = node.receive(source)) {
                backlog.await();
                PostriderRun.awaitSettled(store, SUBSCRIPTION, messages);
                double rate = backlog.rateSince(begin);
                Waiting.until(
                        "all of it was acknowledged", () -> receiving.status().done() == messages);
                return rate;
            }
        }
    }
}
