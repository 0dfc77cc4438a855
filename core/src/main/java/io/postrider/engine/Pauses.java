package io.postrider.engine;

import java.time.Duration;

/** Pauses between tries: each twice as long as the one before, up to the longest. Thread-safe. */
final class Pauses {
    private final Duration first;
    private final Duration longest;
    private int tries;

    Pauses(Duration first, Duration longest) {
        this.first = first;
        this.longest = longest;
    }

    synchronized Duration next() {
        Duration pause = first.multipliedBy(1L << Math.min(tries++, 20));
        return pause.compareTo(longest) < 0 ? pause : longest;
    }

    synchronized void reset() {
        tries = 0;
    }
}
