package io.postrider.benchmarks;

import io.postrider.benchmarks.measure.Database;
import io.postrider.benchmarks.report.Findings;
import io.postrider.benchmarks.report.Plot;
import io.postrider.benchmarks.report.Report;
import io.postrider.benchmarks.report.Result;
import io.postrider.benchmarks.scenarios.Scale;
import io.postrider.benchmarks.scenarios.Scenario;
import io.postrider.benchmarks.scenarios.Scenarios;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the scenarios, prints a table and writes {@value #RESULTS}. Exits with 1 if a target is missed, with 3 if it
 * could not be measured.
 *
 * <p>{@code --quick} ends within five minutes; {@code --docs} also writes the page on performance; the names of
 * scenarios run only those.
 */
public final class Bench {
    static final String RESULTS = "benchmarks/target/results.json";

    private static final Logger LOG = LoggerFactory.getLogger(Bench.class);

    private static final int MET = 0;
    private static final int MISSED = 1;
    private static final int MISUSED = 2;
    private static final int FAILED = 3;

    private static final String QUICK = "--quick";
    private static final String DOCS = "--docs";
    private static final Path PAGE = Path.of("docs", "performance.md");

    private Bench() {}

    public static void main(String[] arguments) {
        int status = FAILED;
        try {
            status = run(Arrays.asList(arguments));
        } catch (Exception e) {
            LOG.error("The benchmarks could not be measured to the end; there are no results", e);
        }
        System.exit(status);
    }

    private static int run(List<String> arguments) throws Exception {
        Set<String> asked = new HashSet<>(arguments);
        Scale scale = asked.remove(QUICK) ? Scale.QUICK : Scale.FULL;
        boolean docs = asked.remove(DOCS);
        List<String> known = Scenarios.ALL.stream().map(Scenario::name).toList();
        if (!known.containsAll(asked)) {
            System.err.println("usage: bench [" + QUICK + "] [" + DOCS + "] [" + String.join("] [", known) + "], got "
                    + String.join(" ", arguments));
            return MISUSED;
        }
        Findings findings = measure(scale, asked.isEmpty() ? Set.copyOf(known) : asked);
        Report report = new Report(findings.results());
        report.write(Path.of(RESULTS));
        if (docs) {
            PerformancePage.write(
                    PAGE,
                    report,
                    findings.plots(),
                    String.join(" ", arguments),
                    report.results().get(0).name());
        }
        System.out.println();
        System.out.print(report.table());
        System.out.println(report.missed() == 0 ? "every target met" : "targets missed: " + report.missed());
        return report.missed() == 0 ? MET : MISSED;
    }

    private static Findings measure(Scale scale, Set<String> asked) throws Exception {
        List<Result> results = new ArrayList<>();
        List<Plot> plots = new ArrayList<>();
        try (Database database = Database.open()) {
            results.add(Result.told(database.describe(), Runtime.getRuntime().availableProcessors(), "processors"));
            System.out.println(database.describe() + ", JDK " + Runtime.version());
            System.out.println(scale);
            results.addAll(scale.leftOut());
            for (Scenario scenario : Scenarios.ALL) {
                if (asked.contains(scenario.name())) {
                    Instant begin = Instant.now();
                    database.clear();
                    Findings findings = scenario.run(database, scale);
                    results.addAll(findings.results());
                    plots.addAll(findings.plots());
                    Duration took = Duration.between(begin, Instant.now());
                    System.out.println(scenario.name() + " took " + took.toSeconds() + " s");
                }
            }
        }
        return new Findings(results, plots);
    }
}
