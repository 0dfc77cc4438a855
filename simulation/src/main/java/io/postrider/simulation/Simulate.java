package io.postrider.simulation;

import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.ArrayList;

public final class Simulate {
    private Simulate() {}

    public static void main(String[] arguments) throws Exception {
        long seeds = Long.parseLong(arguments[0]);
        Mutation mutation = arguments.length > 1 ? Mutation.valueOf(arguments[1]) : Mutation.NONE;
        boolean stop = arguments.length > 2;
        int failed = 0;
        long begin = System.nanoTime();
        for (long seed = stop ? seeds : 1; seed <= seeds; seed++) {
            Run.Result result = Run.of(Plan.of(seed), mutation);
            if (!result.held()) {
                failed++;
                System.out.println("seed " + seed + ": " + result.violation());
                if (stop) {
                    Run.Result least = Shrink.shrink(result, mutation);
                    System.out.println("least: " + least.violation() + " " + least.plan());
                    least.trace().forEach(System.out::println);
                }
                if (mutation != Mutation.NONE && failed > 2) break;
            }
        }
        System.out.printf(Locale.ROOT, "%d seeds, %d failed, %.1f s%n", seeds, failed, (System.nanoTime() - begin) / 1e9);
        System.exit(0);
    }
}
