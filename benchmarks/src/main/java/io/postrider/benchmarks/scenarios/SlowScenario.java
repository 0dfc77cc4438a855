package io.postrider.benchmarks.scenarios;

import com.zaxxer.hikari.HikariDataSource;
import io.postrider.benchmarks.measure.Backlog;
import io.postrider.benchmarks.measure.Database;
import io.postrider.benchmarks.measure.Payloads;
import io.postrider.benchmarks.peers.Carrier;
import io.postrider.benchmarks.peers.Node;
import io.postrider.benchmarks.peers.Outgoing;
import io.postrider.benchmarks.peers.Tuning;
import io.postrider.benchmarks.report.Findings;
import io.postrider.benchmarks.report.Plot;
import io.postrider.benchmarks.report.Result;
import io.postrider.policy.SubscriptionLimits;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/** Handlers that wait 10 ms, as for a call over the network: what counts is how many run at once. */
final class SlowScenario implements Scenario {
    private static final Duration WAIT = Duration.ofMillis(10);
    private static final List<Integer> NODES = List.of(1, 2, 4);
    private static final String UNIT = "events/s";
    /** The same for all: what Postrider has by default. */
    private static final int AT_ONCE = SubscriptionLimits.DEFAULT.concurrency();
    /** Short, so that nodes that come and go share soon. */
    private static final Duration FAILOVER = Duration.ofSeconds(2);

    private static final String TITLE = "Handlers that wait 10 ms, " + AT_ONCE + " at once on each node";

    @Override
    public String name() {
        return "slow";
    }

    @Override
    public Findings run(Database database, Scale scale) throws Exception {
        List<Result> results = new ArrayList<>();
        List<Plot.Series> series = new ArrayList<>();
        for (Carrier carrier : scale.carriers()) {
            List<Double> rates = new ArrayList<>();
            for (int nodes : NODES) {
                String label = label(carrier, nodes);
                if (nodes > 1 && carrier.whyNotShared().isPresent()) {
                    results.add(Result.cannot(label, carrier.whyNotShared().get()));
                } else {
                    double rate = share(database, carrier, nodes, scale.slowEvents() * nodes);
                    rates.add(rate);
                    results.add(Result.told(label, rate, UNIT).how(carrier.delivering(tuning(carrier))));
                    results.add(Result.told(
                            label + ", by what the handlers allow",
                            rate / limit(nodes),
                            "of " + Math.round(limit(nodes))));
                }
            }
            if (rates.size() == NODES.size()) {
                series.add(Plot.Series.of(Plot.shortName(carrier.name()), rates));
            }
        }
        series.add(Plot.Series.limit(
                "what the handlers allow",
                NODES.stream().map(SlowScenario::limit).toList()));
        Plot plot = new Plot(
                "slow-handlers",
                Plot.Shape.LINES,
                TITLE,
                new Plot.Axes("nodes", UNIT),
                NODES.stream().map(String::valueOf).toList(),
                series);
        return new Findings(results, List.of(plot));
    }

    private static Tuning tuning(Carrier carrier) {
        return carrier.fastest().threads(AT_ONCE).failover(FAILOVER);
    }

    private static String label(Carrier carrier, int nodes) {
        return "handlers of 10 ms, " + nodes + (nodes == 1 ? " node: " : " nodes: ") + carrier.name();
    }

    private static double limit(int nodes) {
        return nodes * AT_ONCE * 1e9 / WAIT.toNanos();
    }

    /** The nodes are there before the events, which become visible all at once. */
    private static double share(Database database, Carrier carrier, int nodes, int events) throws Exception {
        database.clear();
        carrier.prepare(database);
        Backlog backlog = new Backlog(events);
        try (Opened opened = new Opened(database, carrier)) {
            Node writer = carrier.whyNotShared().isPresent() ? opened.deliver(backlog) : opened.store();
            for (int node = opened.delivering(); node < nodes; node++) {
                opened.deliver(backlog);
            }
            carrier.awaitShared(database, nodes);
            List<Outgoing> all = IntStream.range(0, events)
                    .mapToObj(i -> new Outgoing(Payloads.key(i), Payloads.numbered(i)))
                    .toList();
            writer.transaction((transaction, appender) -> appender.append(all));
            backlog.await();
            return backlog.rateSinceFirst();
        }
    }

    /** The nodes of one run, each with its own pool. */
    private static final class Opened implements AutoCloseable {
        private final Database database;
        private final Carrier carrier;
        private final Deque<AutoCloseable> all = new ArrayDeque<>();
        private int delivering;

        Opened(Database database, Carrier carrier) {
            this.database = database;
            this.carrier = carrier;
        }

        Node store() throws Exception {
            return add(carrier.storing(pool(2)));
        }

        Node deliver(Backlog backlog) throws Exception {
            Tuning tuning = tuning(carrier);
            HikariDataSource pool = pool(carrier.connections(tuning));
            Node node = add(carrier.delivering(pool, tuning, payload -> backlog.handled(SlowScenario::work)));
            node.start();
            delivering++;
            return node;
        }

        int delivering() {
            return delivering;
        }

        private HikariDataSource pool(int connections) {
            HikariDataSource pool = database.pool(connections);
            all.push(pool);
            return pool;
        }

        private Node add(Node node) {
            all.push(node);
            return node;
        }

        @Override
        public void close() throws Exception {
            while (!all.isEmpty()) {
                all.pop().close();
            }
        }
    }

    private static void work() {
        try {
            TimeUnit.NANOSECONDS.sleep(WAIT.toNanos());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
