package io.postrider.benchmarks;

import com.zaxxer.hikari.HikariDataSource;
import io.postrider.Limits;
import io.postrider.Postrider;
import io.postrider.PostriderConfig;
import io.postrider.postgres.PostgresStore;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/** Handlers that wait 10 ms, as for a call over the network: what counts is how many run at once. */
final class SlowScenario implements Scenario {
    private static final Duration WAIT = Duration.ofMillis(10);
    private static final List<Integer> NODES = List.of(1, 2, 4);
    private static final String SUBSCRIPTION = "slow";
    private static final String UNIT = "events/s";
    private static final String NAME = "handlers of 10 ms, ";

    /** Short, so that nodes that come and go share the lanes soon. */
    private static final Limits LIMITS =
            Limits.builder().lease(Duration.ofSeconds(2)).build();

    @Override
    public String name() {
        return "slow";
    }

    @Override
    public Findings run(Database database, Scale scale) throws Exception {
        List<Result> results = new ArrayList<>();
        List<Double> rates = new ArrayList<>();
        List<Double> limits = new ArrayList<>();
        for (int nodes : NODES) {
            double limit = nodes * LIMITS.concurrency() * 1e9 / WAIT.toNanos();
            double rate = share(database, nodes, scale.slowEvents() * nodes);
            rates.add(rate);
            limits.add(limit);
            String name = NAME + nodes + (nodes == 1 ? " node" : " nodes") + ": postrider, " + LIMITS.concurrency()
                    + " handlers at once on each";
            results.add(Result.told(name, rate, UNIT));
            results.add(Result.told(name + ", by what the handlers allow", rate / limit, "of " + Math.round(limit)));
        }
        results.addAll(peers(database, scale.slowEvents()));
        Plot plot = new Plot(
                "slow-handlers",
                Plot.Shape.LINES,
                "Handlers that wait 10 ms, " + LIMITS.concurrency() + " at once on each node",
                new Plot.Axes("nodes", UNIT),
                NODES.stream().map(String::valueOf).toList(),
                List.of(Plot.Series.of("postrider", rates), Plot.Series.limit("what the handlers allow", limits)));
        return new Findings(results, List.of(plot));
    }

    private static List<Result> peers(Database database, int events) throws Exception {
        List<Result> results = new ArrayList<>();
        try (Peers peers = Peers.open(database, events, events)) {
            for (Drain drain : peers.drains()) {
                drain.fill();
                results.add(Result.told(NAME + "1 node: " + drain.label(), drain.drain(SlowScenario::work), UNIT));
            }
        }
        results.add(Result.notMeasured(NAME + "2 and 4 nodes: peers", "one node of each only"));
        return results;
    }

    private static double share(Database database, int nodes, int events) throws Exception {
        database.clear();
        Backlog backlog = new Backlog(events);
        List<AutoCloseable> opened = new ArrayList<>();
        try {
            PostgresStore store = null;
            for (int i = 0; i < nodes; i++) {
                store = node(database, backlog, opened);
            }
            Waiting.untilShared(database, nodes);
            PostriderRun.fill(Objects.requireNonNull(store), events, Payloads::key);
            backlog.await();
            double rate = backlog.rateSinceFirst();
            PostriderRun.awaitSettled(store, SUBSCRIPTION, events);
            return rate;
        } finally {
            for (int i = opened.size() - 1; i >= 0; i--) {
                opened.get(i).close();
            }
        }
    }

    private static PostgresStore node(Database database, Backlog backlog, List<AutoCloseable> opened) {
        HikariDataSource pool = database.pool(PostriderDrain.CONNECTIONS);
        opened.add(pool);
        PostgresStore store = PostgresStore.of(pool);
        Postrider<Connection> node =
                Postrider.on(store, PostriderConfig.defaults().limits(LIMITS));
        opened.add(node);
        node.subscribe(SUBSCRIPTION)
                .on(Payloads.TYPE, (payload, context) -> backlog.handled(SlowScenario::work))
                .start();
        return store;
    }

    private static void work() {
        try {
            TimeUnit.NANOSECONDS.sleep(WAIT.toNanos());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
