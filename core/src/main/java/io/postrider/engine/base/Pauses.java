package io.postrider.engine.base;

import java.time.Duration;

/** Pauses between tries: each twice as long as the one before, up to the longest. Thread-safe. */
public final class Pauses {
    private final Duration first;
    private final Duration longest;
    private int tries;

    public Pauses(Duration first, Duration longest) {
        this.first = first;
        this.longest = longest;
    }

    public synchronized Duration next() {
        Duration pause = first.multipliedBy(1L << Math.min(tries++, 20));
        return pause.compareTo(longest) < 0 ? pause : longest;
    }

    public synchronized void reset() {
        tries = 0;
    }
}
