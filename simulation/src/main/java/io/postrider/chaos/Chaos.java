package io.postrider.chaos;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the scenarios, prints a table and writes {@value #RESULTS}. Exits with 1 if a promise was not kept, and else
 * with 3 if something could not be measured: a fault that did not take hold, or a harness that broke itself.
 *
 * <p>{@code --quick} runs the short set; {@code --docs} also writes the page on reliability; {@code --list} only lists;
 * the names of scenarios run only those.
 */
public final class Chaos {
    static final String RESULTS = "simulation/target/chaos.json";

    private static final Logger LOG = LoggerFactory.getLogger(Chaos.class);

    static final int HELD = 0;
    static final int BROKEN = 1;
    private static final int MISUSED = 2;
    static final int UNMEASURED = 3;

    private static final String QUICK = "--quick";
    private static final String DOCS = "--docs";
    private static final String LIST = "--list";
    private static final Path LOGS = Path.of("simulation", "target", "chaos-logs");
    private static final Path PAGE = Path.of("docs", "operating", "reliability.md");

    private Chaos() {}

    public static void main(String[] arguments) {
        int status = UNMEASURED;
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
        Machine machine = Machine.describe();
        System.out.println(machine);
        Report report = strike(machine, chosen, LOGS, Pace.FULL);
        report.write(Path.of(RESULTS));
        if (docs && report.complete()) {
            ReliabilityPage.write(PAGE, report, String.join(" ", arguments));
        }
        return tell(report);
    }

    /** Runs all of them, also when one cannot be measured. */
    static Report strike(Machine machine, List<Scenario> scenarios, Path logs, Pace pace) {
        List<Result> results = new ArrayList<>();
        List<Report.Gap> gaps = new ArrayList<>();
        for (Scenario scenario : scenarios) {
            Moment begin = Moment.now();
            String word;
            try {
                Result result = new Trial(scenario, logs.resolve(scenario.name()), pace).run();
                results.add(result);
                word = result.held() ? "held" : "DID NOT HOLD";
            } catch (Exception e) {
                LOG.error("{} says nothing about the engine", scenario.name(), e);
                gaps.add(new Report.Gap(scenario.name(), String.valueOf(e.getMessage())));
                word = "COULD NOT BE MEASURED";
            }
            System.out.printf(
                    "%s %s, took %d s%n", scenario.name(), word, begin.age().toSeconds());
        }
        return new Report(machine, results, gaps);
    }

    /** Prints it, and says with what status to exit: a broken promise weighs more than a gap. */
    static int tell(Report report) {
        System.out.println();
        System.out.print(report.table());
        report.results()
                .forEach(result -> result.verdict()
                        .evidence()
                        .forEach(line -> System.out.println(result.scenario() + ": " + line)));
        report.gaps().forEach(gap -> System.out.println(gap.scenario() + " could not be measured: " + gap.why()));
        if (!report.held()) {
            System.out.println("something promised did not hold");
            return BROKEN;
        }
        System.out.println(report.complete() ? "everything promised held" : "what could be measured held");
        return report.complete() ? HELD : UNMEASURED;
    }
}
