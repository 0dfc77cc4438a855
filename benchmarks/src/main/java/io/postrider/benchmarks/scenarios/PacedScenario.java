package io.postrider.benchmarks.scenarios;

import com.zaxxer.hikari.HikariDataSource;
import io.postrider.benchmarks.measure.BusinessRows;
import io.postrider.benchmarks.measure.Database;
import io.postrider.benchmarks.measure.Latencies;
import io.postrider.benchmarks.measure.Pace;
import io.postrider.benchmarks.measure.Payloads;
import io.postrider.benchmarks.measure.Rounds;
import io.postrider.benchmarks.peers.Carrier;
import io.postrider.benchmarks.peers.Carriers;
import io.postrider.benchmarks.peers.RawTransaction;
import io.postrider.benchmarks.peers.Tuning;
import io.postrider.benchmarks.report.Findings;
import io.postrider.benchmarks.report.Plot;
import io.postrider.benchmarks.report.Result;
import io.postrider.benchmarks.report.Target;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** How soon a handler begins after the commit, at a steady pace far below what the engine can do. */
final class PacedScenario implements Scenario {
    private static final Pace PACE = new Pace(500, 8);
    private static final int BARE_COMMITS = 500;
    private static final List<Double> PERCENTILES = List.of(50.0, 90.0, 99.0, 99.9, 100.0);
    private static final Target KEPT = Target.atLeast(0.98);
    private static final Target MEDIAN = Target.atMost(5);
    private static final Target TAIL = Target.atMost(25);
    /** Where the node's own commits wake it, a poll is for what was missed. */
    private static final Duration SELDOM = Duration.ofSeconds(1);

    @Override
    public String name() {
        return "paced";
    }

    @Override
    public Findings run(Database database, Scale scale) throws Exception {
        List<Result> results = new ArrayList<>();
        Map<Carrier, Latencies> here = inOneJvm(database, scale, results);
        Map<Carrier, Latencies> across = acrossProcesses(database, scale, results);
        double bare = bareCommit(database);
        results.add(Result.told("paced: bare commit, one writer, p50", bare, "ms"));
        return new Findings(
                results,
                List.of(
                        plot("latency", "in one JVM", here, bare),
                        plot("latency-across", "in another process", across, bare)));
    }

    private static Map<Carrier, Latencies> inOneJvm(Database database, Scale scale, List<Result> results)
            throws Exception {
        Map<Carrier, Latencies> found = new LinkedHashMap<>();
        for (Carrier carrier : scale.carriers()) {
            Tuning tuning = carrier.wakesItself() ? carrier.fastest().poll(SELDOM) : carrier.fastest();
            prepare(database, carrier);
            PacedRun.Measured measured = PacedRun.inOneJvm(database, carrier, tuning, PACE, scale.paced());
            found.put(carrier, measured.latencies());
            boolean judged = carrier == Carriers.POSTRIDER;
            results.addAll(results(label("one JVM", carrier), carrier.delivering(tuning), measured, judged));
        }
        return found;
    }

    private static Map<Carrier, Latencies> acrossProcesses(Database database, Scale scale, List<Result> results)
            throws Exception {
        Map<Carrier, Latencies> found = new LinkedHashMap<>();
        for (Carrier carrier : scale.carriers()) {
            String label = label("across processes", carrier);
            Tuning tuning = carrier.fastest();
            if (carrier.whyNotShared().isPresent()) {
                results.add(Result.cannot(label, carrier.whyNotShared().get()));
            } else {
                prepare(database, carrier);
                PacedRun.Measured measured = PacedRun.acrossProcesses(database, carrier, tuning, PACE, scale.paced());
                found.put(carrier, measured.latencies());
                results.addAll(results(label, carrier.delivering(tuning), measured, false));
            }
        }
        return found;
    }

    private static void prepare(Database database, Carrier carrier) throws Exception {
        database.clear();
        BusinessRows.create(database, PACE.threads());
        carrier.prepare(database);
    }

    private static String label(String where, Carrier carrier) {
        return String.format(Locale.ROOT, "paced at %d/s, %s: %s", PACE.perSecond(), where, carrier.name());
    }

    /** What the commit alone takes, in milliseconds. */
    private static double bareCommit(Database database) throws Exception {
        try (HikariDataSource pool = database.pool(1)) {
            double[] took = new double[BARE_COMMITS];
            for (int i = 0; i < took.length; i++) {
                String payload = Payloads.get(i);
                long begin = System.nanoTime();
                RawTransaction.commit(pool, transaction -> BusinessRows.update(transaction, 0, payload));
                took[i] = (System.nanoTime() - begin) / 1e6;
            }
            return Rounds.median(took);
        }
    }

    /** The settings are told with the pace, once; only ours in one JVM is judged. */
    private static List<Result> results(String label, String settings, PacedRun.Measured measured, boolean judged) {
        Latencies latencies = measured.latencies();
        String pace = label + ": pace kept";
        double kept = measured.perSecond() / PACE.perSecond();
        String after = label + ": commit returned to handler entered (never below 0), ";
        String around = label + ": work returned to handler entered (with the commit), ";
        List<Result> results = new ArrayList<>();
        results.add((judged
                        ? Result.compared(pace, measured.perSecond(), "commits/s", kept, KEPT)
                        : Result.told(pace, measured.perSecond(), "commits/s"))
                .how(settings));
        results.add(told(after, 50, latencies.afterCommit(50), judged ? MEDIAN : null));
        results.add(told(after, 99, latencies.afterCommit(99), judged ? TAIL : null));
        results.add(told(after, 100, latencies.afterCommit(100), null));
        results.add(told(around, 50, latencies.withCommit(50), null));
        results.add(told(around, 99, latencies.withCommit(99), null));
        results.add(told(around, 100, latencies.withCommit(100), null));
        return results;
    }

    private static Result told(String label, double percentile, double millis, @Nullable Target target) {
        String name = label + named(percentile);
        return target == null ? Result.told(name, millis, "ms") : Result.judged(name, millis, "ms", target);
    }

    private static Plot plot(String file, String where, Map<Carrier, Latencies> measured, double bare) {
        List<Plot.Series> series = new ArrayList<>();
        measured.forEach((carrier, latencies) -> series.add(Plot.Series.of(
                Plot.shortName(carrier.name()),
                PERCENTILES.stream().map(latencies::afterCommit).toList())));
        series.add(Plot.Series.limit(
                "bare commit, p50", PERCENTILES.stream().map(each -> bare).toList()));
        return new Plot(
                file,
                Plot.Shape.LINES,
                "From the return of the commit to the handler " + where + ", " + PACE.perSecond() + " events/s",
                new Plot.Axes("percentile", "ms"),
                PERCENTILES.stream().map(PacedScenario::named).toList(),
                series);
    }

    private static String named(double percentile) {
        return percentile == 100 ? "max" : "p" + (percentile % 1 == 0 ? "" + (int) percentile : "" + percentile);
    }
}
