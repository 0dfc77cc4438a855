package io.postrider.benchmarks.measure;

import java.util.Collection;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/** How long the events of a paced run took. */
public final class Latencies {
    private static final long LONGEST = TimeUnit.MINUTES.toNanos(2);
    private static final int DIGITS = 3;

    private final Histogram withCommit = new Histogram(LONGEST, DIGITS);
    private final Histogram afterCommit = new Histogram(LONGEST, DIGITS);

    private Latencies() {}

    public static Latencies of(Collection<Stamps> events) {
        Latencies latencies = new Latencies();
        for (Stamps event : events) {
            latencies.withCommit.recordValue(event.withCommit());
            latencies.afterCommit.recordValue(event.afterCommit());
        }
        return latencies;
    }

    /** Milliseconds from the end of the transaction's work to the handler: the commit itself is in it. */
    public double withCommit(double percentile) {
        return withCommit.getValueAtPercentile(percentile) / 1e6;
    }

    /** Milliseconds from the return of the commit to the handler. */
    public double afterCommit(double percentile) {
        return afterCommit.getValueAtPercentile(percentile) / 1e6;
    }
}
