package io.postrider.simulation;

import java.util.List;
import java.util.stream.LongStream;

/** Prints what tells the run of a seed from another, for a number of seeds. */
final class Traces {
    private static final long SEEDS = Long.getLong("traces", 60);
    /** Its trace was another one in each process, by the order in which a node handed subscriptions back. */
    private static final long DIFFERED = 9685;

    private Traces() {}

    public static void main(String[] arguments) {
        lines().forEach(System.out::println);
    }

    static List<String> lines() {
        return LongStream.concat(LongStream.rangeClosed(1, SEEDS), LongStream.of(DIFFERED))
                .mapToObj(Traces::line)
                .toList();
    }

    private static String line(long seed) {
        List<String> trace = Run.traced(Plan.of(seed), Mutation.NONE).trace();
        return "seed %d: %d steps, trace %08x".formatted(seed, trace.size(), trace.hashCode());
    }
}
