package io.postrider.postgres.load;

import java.time.Duration;
import java.util.Arrays;
import java.util.stream.LongStream;

/** Times from a commit to an arrival, sorted. */
final class Lags {
    private final long[] sorted;

    Lags(LongStream nanos) {
        sorted = nanos.map(lag -> Math.max(0, lag)).sorted().toArray();
    }

    int count() {
        return sorted.length;
    }

    /** The lag that this share of all does not exceed. */
    Duration percentile(double percent) {
        int index = (int) Math.ceil(sorted.length * percent / 100) - 1;
        return Duration.ofNanos(sorted[Math.max(0, index)]);
    }

    @Override
    public String toString() {
        return Arrays.stream(new double[] {50, 90, 99, 99.9, 100})
                .mapToObj(percent -> "p" + percent + " " + percentile(percent).toMillis() + " ms")
                .collect(java.util.stream.Collectors.joining(", "));
    }
}
