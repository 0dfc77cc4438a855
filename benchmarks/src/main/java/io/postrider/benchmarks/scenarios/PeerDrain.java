package io.postrider.benchmarks.scenarios;

import com.zaxxer.hikari.HikariDataSource;
import io.postrider.benchmarks.measure.Backlog;
import io.postrider.benchmarks.measure.Database;
import io.postrider.benchmarks.measure.Payloads;
import io.postrider.benchmarks.measure.Waiting;
import io.postrider.benchmarks.peers.Node;
import io.postrider.benchmarks.peers.Outgoing;
import io.postrider.benchmarks.peers.Peer;
import io.postrider.benchmarks.peers.Tuning;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.LongFunction;

/** Has a peer store a backlog, and drain it with one node as fast as it can. */
final class PeerDrain implements Drain {
    private static final int FILL_BATCH = 1_000;

    private final Database database;
    private final Peer peer;
    private final int events;
    private final LongFunction<String> keys;
    private final Tuning tuning;
    private final HikariDataSource pool;

    PeerDrain(Database database, Peer peer, int events, LongFunction<String> keys) throws SQLException {
        this.database = database;
        this.peer = peer;
        this.events = events;
        this.keys = keys;
        this.tuning = peer.fastest();
        peer.prepare(database);
        this.pool = database.pool(peer.connections(tuning));
    }

    @Override
    public String label() {
        return String.format(Locale.ROOT, "%s, %,d events", peer.name(), events);
    }

    @Override
    public String how() {
        return peer.delivering(tuning);
    }

    @Override
    public void fill() throws Exception {
        try (Node node = peer.storing(pool)) {
            for (int from = 0; from < events; from += FILL_BATCH) {
                List<Outgoing> batch = new ArrayList<>(FILL_BATCH);
                for (int i = from; i < Math.min(events, from + FILL_BATCH); i++) {
                    batch.add(new Outgoing(keys.apply(i), Payloads.get(i)));
                }
                node.transaction((transaction, appender) -> appender.append(batch));
            }
        }
        Backlog.requireRows(database, peer.undelivered(), events);
    }

    @Override
    public double drain(Runnable work) throws Exception {
        Backlog backlog = new Backlog(events);
        try (Node node = peer.delivering(pool, tuning, payload -> backlog.handled(work))) {
            long begin = System.nanoTime();
            node.start();
            backlog.await();
            double rate = peer.startsSlowly() ? backlog.rateSinceFirst() : backlog.rateSince(begin);
            Waiting.until(
                    "nothing is left to deliver of " + peer.table(), () -> database.count(peer.undelivered()) == 0);
            return rate;
        }
    }

    @Override
    public String backlog() {
        return peer.table();
    }

    @Override
    public List<String> tables() {
        return peer.tables();
    }

    @Override
    public void close() {
        pool.close();
    }
}
