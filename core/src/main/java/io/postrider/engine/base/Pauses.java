package io.postrider.engine.base;

import java.time.Duration;

/** Pauses between tries: each twice as long as the one before, up to the longest. Thread-safe. */
public final class Pauses {
    /** Further doublings would overflow, and exceed any longest pause. */
    private static final int DOUBLINGS_MAX = 20;

    private final Duration first;
    private final Duration longest;
    private int tries;

    public Pauses(Duration first, Duration longest) {
        this.first = first;
        this.longest = longest;
    }

    /** The pause after so many pauses. */
    public static Duration after(int pauses, Duration first, Duration longest) {
        return shorter(first.multipliedBy(1L << Math.min(pauses, DOUBLINGS_MAX)), longest);
    }

    public synchronized Duration next() {
        return after(tries++, first, longest);
    }

    public synchronized void reset() {
        tries = 0;
    }

    static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }
}
