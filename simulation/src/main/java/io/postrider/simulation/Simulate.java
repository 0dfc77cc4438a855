package io.postrider.simulation;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongConsumer;
import tools.jackson.databind.json.JsonMapper;

/**
 * Runs seeds and leaves the figures in {@value #RESULTS}. Exits with 1 if a guarantee did not hold or a mutation was
 * not caught, with 2 if it was asked for something it does not know, with 3 if it could not run.
 */
public final class Simulate {
    static final String RESULTS = "simulation/target/simulation.json";
    /** A mutation that this many seeds do not catch is not caught. */
    static final int MUTATION_SEEDS = 1_000;

    private static final int HELD = 0;
    private static final int FAILED = 1;
    private static final int MISUSED = 2;
    private static final int BROKEN = 3;
    private static final int FAILURES_MAX = 5;
    private static final int BAR = 40;
    private static final String USAGE = """
            usage: simulate [--seeds N] [--from SEED]   seeds SEED to SEED + N - 1; 10,000 from 1 unless given
                   simulate --seed SEED [--trace]       one seed, and everything that happened in it
                   simulate --mutations                 whether each part left out is noticed
            """;

    private Simulate() {}

    public static void main(String[] arguments) {
        System.setProperty("org.slf4j.simpleLogger.defaultLogLevel", "off");
        int status = BROKEN;
        try {
            status = run(arguments);
        } catch (IllegalArgumentException e) {
            System.err.println(e.getMessage());
            System.err.print(USAGE);
            status = MISUSED;
        } catch (Exception e) {
            System.err.println("The simulation could not run to its end: " + e);
        }
        System.exit(status);
    }

    private static int run(String[] arguments) throws IOException {
        Options options = Options.parse(arguments);
        if (options.mutations()) {
            return mutations();
        }
        return options.seed() != null
                ? one(options.seed(), options.trace())
                : seeds(options.from(), options.from() + options.seeds() - 1);
    }

    // ---- many seeds
    // ---------------------------------------------------------------------------------------------------

    private static int seeds(long first, long last) throws IOException {
        long begin = System.nanoTime();
        Seeds.Tally tally = Seeds.run(first, last, Mutation.NONE, FAILURES_MAX, bar(last - first + 1));
        Duration took = Duration.ofNanos(System.nanoTime() - begin);
        System.out.printf(
                "%n%,d seeds in %d s, %d failed%n",
                tally.seeds(), took.toSeconds(), tally.failures().size());
        write(Map.of("seeds", tally.seeds(), "seconds", took.toSeconds(), "failed", failed(tally)));
        tally.failures()
                .forEach(failure -> System.out.println("seed " + failure.plan().seed() + ": " + failure.violation()));
        if (!tally.failures().isEmpty()) {
            explain(tally.failures().get(0));
        }
        return tally.failures().isEmpty() ? HELD : FAILED;
    }

    private static List<Long> failed(Seeds.Tally tally) {
        return tally.failures().stream().map(failure -> failure.plan().seed()).toList();
    }

    private static LongConsumer bar(long all) {
        long every = Math.max(1, all / 200);
        return done -> {
            if (done % every == 0 || done == all) {
                int full = (int) (BAR * done / all);
                System.out.printf("\r[%s%s] %,d of %,d", "#".repeat(full), ".".repeat(BAR - full), done, all);
                System.out.flush();
            }
        };
    }

    // ---- one seed
    // -----------------------------------------------------------------------------------------------------

    private static int one(long seed, boolean trace) {
        Run.Result result = Run.traced(Plan.of(seed), Mutation.NONE);
        if (trace) {
            result.trace().forEach(System.out::println);
        }
        System.out.printf(
                "seed %d: %s; %d steps, trace %08x%n",
                seed,
                result.held() ? "every guarantee held" : result.violation(),
                result.trace().size(),
                result.trace().hashCode());
        if (!result.held()) {
            explain(result);
        }
        return result.held() ? HELD : FAILED;
    }

    /** The least that still fails, step by step. */
    private static void explain(Run.Result failure) {
        Run.Result least = Shrink.shrink(failure, Mutation.NONE);
        System.out.println();
        System.out.printf(
                "seed %d, the least that still fails: %d of %d actions%n",
                failure.plan().seed(),
                least.plan().actions().size(),
                failure.plan().actions().size());
        least.plan().actions().forEach(action -> System.out.println("  " + action));
        least.trace().forEach(System.out::println);
        System.out.println(least.violation());
    }

    // ---- mutations
    // ----------------------------------------------------------------------------------------------------

    private static int mutations() throws IOException {
        Map<String, Object> found = new LinkedHashMap<>();
        List<Mutation> unnoticed = new ArrayList<>();
        for (Mutation mutation : Mutation.values()) {
            if (mutation != Mutation.NONE) {
                Seeds.Tally tally = Seeds.run(1, MUTATION_SEEDS, mutation, 1, done -> {});
                if (tally.failures().isEmpty()) {
                    unnoticed.add(mutation);
                }
                String by = tally.failures().isEmpty()
                        ? "NOT NOTICED in " + tally.seeds() + " seeds"
                        : "seed " + tally.failures().get(0).plan().seed() + ": "
                                + tally.failures().get(0).violation();
                found.put(mutation.name(), by);
                System.out.printf("%-36s %s%n", mutation, by);
            }
        }
        write(Map.of("mutations", found));
        return unnoticed.isEmpty() ? HELD : FAILED;
    }

    private static void write(Map<String, Object> figures) throws IOException {
        Path results = Path.of(RESULTS);
        Files.createDirectories(results.toAbsolutePath().getParent());
        Files.writeString(
                results,
                JsonMapper.builder().build().writerWithDefaultPrettyPrinter().writeValueAsString(figures) + "\n");
    }
}
