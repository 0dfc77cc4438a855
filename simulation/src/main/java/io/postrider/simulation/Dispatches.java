package io.postrider.simulation;

import java.util.function.BooleanSupplier;

/** What became of the dispatches of an event to a subscription so far. */
final class Dispatches {
    int started;
    boolean taken;
    boolean lastAttempt;
    boolean running;
    boolean replayed;
    long lastStarted;
    private BooleanSupplier gone = () -> false;

    /** @param gone whether the process is gone that runs it: nothing is under way in it any more */
    void start(long nanos, BooleanSupplier gone) {
        started++;
        lastStarted = nanos;
        running = true;
        this.gone = gone;
    }

    void take() {
        taken = true;
        running = false;
    }

    boolean isUnderWay() {
        return running && !gone.getAsBoolean();
    }
}
