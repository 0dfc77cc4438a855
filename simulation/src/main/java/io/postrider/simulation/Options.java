package io.postrider.simulation;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the command was asked for. */
record Options(long seeds, long from, @Nullable Long seed, boolean trace, boolean mutations) {
    private static final long SEEDS = 10_000;

    static Options parse(String... arguments) {
        Deque<String> rest = new ArrayDeque<>(List.of(arguments));
        Options options = new Options(SEEDS, 1, null, false, false);
        while (!rest.isEmpty()) {
            options = options.with(rest.remove(), rest);
        }
        return options;
    }

    private Options with(String option, Deque<String> rest) {
        return switch (option) {
            case "--seeds" -> new Options(number(option, rest, 1), from, seed, trace, mutations);
            case "--from" -> new Options(seeds, number(option, rest, Long.MIN_VALUE), seed, trace, mutations);
            case "--seed" -> new Options(seeds, from, number(option, rest, Long.MIN_VALUE), trace, mutations);
            case "--trace" -> new Options(seeds, from, seed, true, mutations);
            case "--mutations" -> new Options(seeds, from, seed, trace, true);
            default -> throw new IllegalArgumentException("there is no option '" + option + "'");
        };
    }

    private static long number(String option, Deque<String> rest, long least) {
        String text = rest.isEmpty() ? "nothing" : rest.remove();
        try {
            long number = Long.parseLong(text);
            if (number >= least) {
                return number;
            }
        } catch (NumberFormatException e) {
            // said below, with the value
        }
        throw new IllegalArgumentException(option + " takes a number, got '" + text + "'");
    }
}
