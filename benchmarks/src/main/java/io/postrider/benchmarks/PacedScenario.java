package io.postrider.benchmarks;

import com.zaxxer.hikari.HikariDataSource;
import io.postrider.Event;
import io.postrider.EventContext;
import io.postrider.EventId;
import io.postrider.Payload;
import io.postrider.Postrider;
import io.postrider.Start;
import io.postrider.postgres.PostgresStore;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** How soon a handler begins after the commit, at a steady pace far below what the engine can do. */
final class PacedScenario implements Scenario {
    private static final int PER_SECOND = 500;
    private static final int WRITERS = 8;
    private static final int CONNECTIONS = 20;
    private static final int BARE_COMMITS = 500;
    private static final List<Double> PERCENTILES = List.of(50.0, 90.0, 99.0, 99.9, 100.0);
    private static final Duration WARM_UP = Duration.ofSeconds(5);
    private static final Target PACE = Target.atLeast(0.98);
    private static final Target MEDIAN = Target.atMost(5);
    private static final Target TAIL = Target.atMost(25);

    @Override
    public String name() {
        return "paced";
    }

    @Override
    public Findings run(Database database, Scale scale) throws Exception {
        BusinessRows.create(database, WRITERS);
        Measured here = inOneJvm(database, scale);
        Latencies across = AcrossProcesses.measure(database, new Pace(PER_SECOND, WRITERS), scale.paced());
        double bare = bareCommit(database);
        List<Result> results = new ArrayList<>(results(here.perSecond(), here.latencies()));
        String name = String.format(Locale.ROOT, "paced at %d/s, across processes: ", PER_SECOND);
        for (double percentile : PERCENTILES) {
            String label = name + "commit returned to handler entered (never below 0), " + named(percentile);
            results.add(Result.told(label, across.afterCommit(percentile), "ms"));
        }
        results.add(Result.told("paced: bare commit, one writer, p50", bare, "ms"));
        results.add(Result.notMeasured("paced: peers", "postrider only"));
        return new Findings(results, List.of(plot(here.latencies(), across, bare)));
    }

    private record Measured(double perSecond, Latencies latencies) {}

    private static Measured inOneJvm(Database database, Scale scale) throws Exception {
        try (HikariDataSource pool = database.pool(CONNECTIONS);
                Postrider<Connection> node = Postrider.on(PostgresStore.of(pool))) {
            Map<EventId, Stamps> stamps = new ConcurrentHashMap<>();
            node.subscribe("paced")
                    .from(Start.end())
                    .on(Payloads.TYPE, (payload, context) -> entered(stamps, context))
                    .start();
            commit(node, stamps, WARM_UP);
            stamps.clear();
            double perSecond = commit(node, stamps, scale.paced());
            return new Measured(perSecond, Latencies.of(stamps.values()));
        }
    }

    /** What the commit alone takes, in milliseconds. */
    private static double bareCommit(Database database) throws Exception {
        try (HikariDataSource pool = database.pool(1)) {
            RawCommitter bare = new RawCommitter("bare business transaction", pool, RawCommitter.NOTHING);
            double[] took = new double[BARE_COMMITS];
            for (int i = 0; i < took.length; i++) {
                long begin = System.nanoTime();
                bare.commit(0, Payloads.get(i));
                took[i] = (System.nanoTime() - begin) / 1e6;
            }
            return Rounds.median(took);
        }
    }

    private static Plot plot(Latencies here, Latencies across, double bare) {
        return new Plot(
                "latency",
                Plot.Shape.LINES,
                "From the return of the commit to the handler, " + PER_SECOND + " events/s",
                new Plot.Axes("percentile", "ms"),
                PERCENTILES.stream().map(PacedScenario::named).toList(),
                List.of(
                        Plot.Series.of(
                                "one JVM",
                                PERCENTILES.stream().map(here::afterCommit).toList()),
                        Plot.Series.of(
                                "across processes",
                                PERCENTILES.stream().map(across::afterCommit).toList()),
                        Plot.Series.limit(
                                "bare commit, p50",
                                PERCENTILES.stream().map(each -> bare).toList())));
    }

    private static String named(double percentile) {
        return percentile == 100 ? "max" : "p" + (percentile % 1 == 0 ? "" + (int) percentile : "" + percentile);
    }

    private static void entered(Map<EventId, Stamps> stamps, EventContext context) {
        long now = System.nanoTime();
        Stamps found = stamps.get(context.id());
        if (found != null) {
            found.handled(now);
        }
    }

    /** Commits at the pace and waits for the last handler; the pace that was reached. */
    private static double commit(Postrider<Connection> node, Map<EventId, Stamps> stamps, Duration length)
            throws Exception {
        Pace pace = new Pace(PER_SECOND, WRITERS);
        double perSecond = pace.keep(length, (writer, number) -> commitOne(node, stamps, writer, number));
        for (Stamps each : stamps.values()) {
            each.awaitHandled();
        }
        return perSecond;
    }

    private static void commitOne(Postrider<Connection> node, Map<EventId, Stamps> stamps, int writer, long number)
            throws Exception {
        Stamps mine = new Stamps();
        node.transaction(transaction -> {
            String payload = Payloads.get(number);
            BusinessRows.update(transaction, writer, payload);
            Event event = Event.of(Payloads.TYPE, Payload.json(payload)).key(Payloads.key(number));
            EventId id = node.outbox().append(transaction, event);
            stamps.put(id, mine);
            mine.worked(System.nanoTime());
            return id;
        });
        mine.committed(System.nanoTime());
    }

    private static List<Result> results(double perSecond, Latencies latencies) {
        String name = String.format(Locale.ROOT, "paced at %d/s, one JVM: ", PER_SECOND);
        String after = name + "commit returned to handler entered (never below 0), ";
        String around = name + "work returned to handler entered (with the commit), ";
        return List.of(
                Result.compared(name + "pace kept", perSecond, "commits/s", perSecond / PER_SECOND, PACE),
                Result.judged(after + "p50", latencies.afterCommit(50), "ms", MEDIAN),
                Result.judged(after + "p99", latencies.afterCommit(99), "ms", TAIL),
                Result.told(after + "max", latencies.afterCommit(100), "ms"),
                Result.told(around + "p50", latencies.withCommit(50), "ms"),
                Result.told(around + "p99", latencies.withCommit(99), "ms"),
                Result.told(around + "max", latencies.withCommit(100), "ms"));
    }
}
