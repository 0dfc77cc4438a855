package io.postrider.observability;

import java.time.Duration;
import java.util.Arrays;

/** The buckets of every histogram here: fixed, so that those of several nodes add up. */
final class Buckets {
    private static final long[] MILLIS = {1, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000};

    private Buckets() {}

    static Duration[] durations() {
        return Arrays.stream(MILLIS).mapToObj(Duration::ofMillis).toArray(Duration[]::new);
    }

    static double[] millis() {
        return Arrays.stream(MILLIS).asDoubleStream().toArray();
    }
}
