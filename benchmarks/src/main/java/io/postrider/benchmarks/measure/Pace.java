package io.postrider.benchmarks.measure;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;

/** Begins work at fixed times, shared by several threads; one that is late begins at once and skips nothing. */
public record Pace(int perSecond, int threads) {

    /** What is done at each tick. */
    @FunctionalInterface
    public interface Tick {
        void run(int thread, long number) throws Exception;
    }

    /** Returns the rate per second that was reached. */
    public double keep(Duration length, Tick tick) throws Exception {
        long ticks = length.toMillis() * perSecond / 1_000;
        long begin = System.nanoTime();
        ExecutorService executor = Executors.newFixedThreadPool(threads);
        try {
            List<Future<?>> running = new ArrayList<>();
            for (int thread = 0; thread < threads; thread++) {
                int first = thread;
                running.add(executor.submit(() -> {
                    for (long number = first; number < ticks; number += threads) {
                        parkUntil(begin + number * 1_000_000_000L / perSecond);
                        tick.run(first, number);
                    }
                    return null;
                }));
            }
            for (Future<?> each : running) {
                each.get();
            }
        } finally {
            executor.shutdownNow();
        }
        return ticks * 1e9 / (System.nanoTime() - begin);
    }

    private static void parkUntil(long time) {
        long left = time - System.nanoTime();
        while (left > 0) {
            LockSupport.parkNanos(left);
            left = time - System.nanoTime();
        }
    }
}
