package io.postrider.chaos;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the scenarios, prints a table and writes {@value #RESULTS}. Exits with 1 if a promise was not kept, with 3 if it
 * could not be run.
 *
 * <p>{@code --quick} runs the short set; {@code --docs} also writes the page on reliability; {@code --list} only lists;
 * the names of scenarios run only those.
 */
public final class Chaos {
    static final String RESULTS = "simulation/target/chaos.json";

    private static final Logger LOG = LoggerFactory.getLogger(Chaos.class);

    private static final int HELD = 0;
    private static final int BROKEN = 1;
    private static final int MISUSED = 2;
    private static final int FAILED = 3;

    private static final String QUICK = "--quick";
    private static final String DOCS = "--docs";
    private static final String LIST = "--list";
    private static final Path LOGS = Path.of("simulation", "target", "chaos-logs");
    private static final Path PAGE = Path.of("docs", "operating", "reliability.md");

    private Chaos() {}

    public static void main(String[] arguments) {
        int status = FAILED;
        try {
            status = run(Arrays.asList(arguments));
        } catch (Exception e) {
            LOG.error("The scenarios could not be run to the end; there are no results", e);
        }
        System.exit(status);
    }

    private static int run(List<String> arguments) throws Exception {
        List<String> names = new ArrayList<>(arguments);
        boolean quick = names.remove(QUICK);
        boolean docs = names.remove(DOCS);
        boolean list = names.remove(LIST);
        if (!Scenarios.names().containsAll(names) || (quick && !names.isEmpty())) {
            System.err.println("usage: chaos [" + DOCS + "] [" + LIST + " | " + QUICK + " | scenario ...], got "
                    + String.join(" ", arguments) + "; " + LIST + " names the scenarios");
            return MISUSED;
        }
        List<Scenario> chosen = quick ? Scenarios.QUICK : Scenarios.named(names);
        if (list) {
            chosen.forEach(scenario -> System.out.printf("%-22s %s%n", scenario.name(), scenario.sentence()));
            return HELD;
        }
        Report report = strike(chosen);
        report.write(Path.of(RESULTS));
        if (docs) {
            ReliabilityPage.write(PAGE, report, String.join(" ", arguments));
        }
        return tell(report);
    }

    private static Report strike(List<Scenario> scenarios) throws Exception {
        Machine machine = Machine.describe();
        System.out.println(machine);
        List<Result> results = new ArrayList<>();
        for (Scenario scenario : scenarios) {
            Moment begin = Moment.now();
            Result result = new Trial(scenario, LOGS.resolve(scenario.name())).run();
            results.add(result);
            System.out.printf(
                    "%s %s, took %d s%n",
                    scenario.name(),
                    result.held() ? "held" : "DID NOT HOLD",
                    begin.age().toSeconds());
        }
        return new Report(machine, results);
    }

    private static int tell(Report report) {
        System.out.println();
        System.out.print(report.table());
        report.results()
                .forEach(result -> result.verdict()
                        .evidence()
                        .forEach(line -> System.out.println(result.scenario() + ": " + line)));
        System.out.println(report.held() ? "everything promised held" : "something promised did not hold");
        return report.held() ? HELD : BROKEN;
    }
}
