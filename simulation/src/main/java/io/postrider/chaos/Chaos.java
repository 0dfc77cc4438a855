package io.postrider.chaos;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the scenarios, prints a table and writes {@value #RESULTS}. Exits with 1 if a promise was not kept, and else
 * with 3 if something could not be measured: a fault that did not take hold, or a harness that broke itself.
 *
 * <p>{@code --quick} runs the short set; {@code --docs} also writes the page on reliability; {@code --list} only lists;
 * the names of scenarios run only those. {@code --events}, {@code --outage} and {@code --seed} are for those with a
 * broker.
 */
public final class Chaos {
    static final String RESULTS = "simulation/target/chaos.json";

    private static final Logger LOG = LoggerFactory.getLogger(Chaos.class);

    static final int HELD = 0;
    static final int BROKEN = 1;
    private static final int MISUSED = 2;
    static final int UNMEASURED = 3;

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
        ChaosOptions options;
        try {
            options = ChaosOptions.parse(arguments);
        } catch (IllegalArgumentException e) {
            System.err.println("usage: " + ChaosOptions.USAGE + "; --list names the scenarios; " + e.getMessage());
            return MISUSED;
        }
        if (options.list()) {
            options.scenarios().forEach(scenario -> list(scenario.name(), scenario.sentence()));
            options.brokerScenarios().forEach(scenario -> list(scenario.name(), scenario.sentence()));
            return HELD;
        }
        Machine machine = Machine.describe();
        System.out.println(machine);
        Report report = strike(machine, options.scenarios(), LOGS, Pace.FULL)
                .plus(relay(machine, options.brokerScenarios(), LOGS));
        report.write(Path.of(RESULTS));
        if (options.docs() && report.complete()) {
            ReliabilityPage.write(PAGE, report, String.join(" ", arguments));
        }
        return tell(report);
    }

    private static void list(String name, String sentence) {
        System.out.printf("%-22s %s%n", name, sentence);
    }

    /** Runs all of them, also when one cannot be measured. */
    static Report strike(Machine machine, List<Scenario> scenarios, Path logs, Pace pace) {
        List<Result> results = new ArrayList<>();
        List<Report.Gap> gaps = new ArrayList<>();
        for (Scenario scenario : scenarios) {
            String name = scenario.name();
            attempt(name, gaps, () -> {
                Result result = new Trial(scenario, logs.resolve(name), pace).run();
                results.add(result);
                return result.held();
            });
        }
        return new Report(machine, results, List.of(), gaps);
    }

    /** The same for those with a broker. */
    static Report relay(Machine machine, List<BrokerScenario> scenarios, Path logs) {
        List<BrokerResult> results = new ArrayList<>();
        List<Report.Gap> gaps = new ArrayList<>();
        for (BrokerScenario scenario : scenarios) {
            attempt(scenario.name(), gaps, () -> {
                BrokerResult result = scenario.run(logs.resolve(scenario.name()));
                results.add(result);
                return result.held();
            });
        }
        return new Report(machine, List.of(), results, gaps);
    }

    private static void attempt(String name, List<Report.Gap> gaps, Callable<Boolean> scenario) {
        Moment begin = Moment.now();
        String word;
        try {
            word = scenario.call() ? "held" : "DID NOT HOLD";
        } catch (Exception e) {
            LOG.error("{} says nothing about the engine", name, e);
            gaps.add(new Report.Gap(name, String.valueOf(e.getMessage())));
            word = "COULD NOT BE MEASURED";
        }
        System.out.printf("%s %s, took %d s%n", name, word, begin.age().toSeconds());
    }

    /** Prints it, and says with what status to exit: a broken promise weighs more than a gap. */
    static int tell(Report report) {
        System.out.println();
        System.out.print(report.results().isEmpty() ? "" : report.table());
        report.results()
                .forEach(result -> Stream.of(result.verdict().evidence(), result.broken())
                        .flatMap(List::stream)
                        .forEach(line -> System.out.println(result.scenario() + ": " + line)));
        report.brokers().forEach(Chaos::tell);
        report.gaps().forEach(gap -> System.out.println(gap.scenario() + " could not be measured: " + gap.why()));
        if (!report.held()) {
            System.out.println("something promised did not hold");
            return BROKEN;
        }
        System.out.println(report.complete() ? "everything promised held" : "what could be measured held");
        return report.complete() ? HELD : UNMEASURED;
    }

    private static void tell(BrokerResult result) {
        System.out.println(result.scenario() + ":");
        result.figures().forEach(figure -> System.out.printf("  %-50s %s%n", figure.name(), figure.value()));
        result.broken().forEach(promise -> System.out.println(result.scenario() + ": " + promise));
    }
}
