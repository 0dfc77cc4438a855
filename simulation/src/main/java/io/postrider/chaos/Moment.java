package io.postrider.chaos;

import java.time.Duration;

/** A point in time on the harness's monotonic clock: all commits, arrivals and faults are timed by that one. */
record Moment(long nanos) implements Comparable<Moment> {

    static Moment now() {
        return new Moment(System.nanoTime());
    }

    Duration since(Moment earlier) {
        return Duration.ofNanos(nanos - earlier.nanos);
    }

    Duration age() {
        return now().since(this);
    }

    Moment plus(Duration duration) {
        return new Moment(nanos + duration.toNanos());
    }

    Moment minus(Duration duration) {
        return plus(duration.negated());
    }

    boolean isBefore(Moment other) {
        return compareTo(other) < 0;
    }

    @Override
    public int compareTo(Moment other) {
        return Long.compare(nanos - other.nanos, 0);
    }
}
