package io.postrider.engine;

import io.postrider.Outcome;
import org.jspecify.annotations.Nullable;

/**
 * A call of a destination that has not been answered yet, and the worker that is in it. Thread-safe: a tick gives it up
 * while its worker is on its way.
 */
final class PendingCall {
    final Batch.Chunk chunk;
    final long startedNanos;
    private final int number;
    private boolean ended;
    private boolean interrupted;
    private @Nullable Thread worker;
    private Calls.@Nullable Call made;
    private @Nullable Outcome givenUp;

    PendingCall(Batch.Chunk chunk, long startedNanos, Thread worker, int number) {
        this.chunk = chunk;
        this.startedNanos = startedNanos;
        this.worker = worker;
        this.number = number;
    }

    /** By its number and not by chance, so that the order in which calls are looked at can be repeated. */
    @Override
    public int hashCode() {
        return number;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return this == other;
    }

    /** The call outside, of the first attempt or of one that follows at once. */
    synchronized void makes(Calls.Call made) {
        this.made = made;
        if (givenUp != null) {
            made.giveUp(givenUp);
        }
    }

    /** Whatever is answered from now on is told to nobody. */
    synchronized void tellGivenUp(Outcome outcome) {
        givenUp = outcome;
        if (made != null) {
            made.giveUp(outcome);
        }
    }

    /**
     * The worker is done with it, answered or not; false if it was given up, and the worker with it. From now on nobody
     * interrupts this thread for it, and what was meant for this call is not for the next.
     */
    synchronized boolean leave() {
        boolean replaced = interrupted;
        if (interrupted) {
            Thread.interrupted();
        }
        worker = null;
        return !replaced;
    }

    /** True for the one who ends it. */
    synchronized boolean end() {
        boolean first = !ended;
        ended = true;
        return first;
    }

    synchronized boolean ended() {
        return ended;
    }

    /** Ends it, and interrupts whoever is stuck in it: within the lock, so that no other call is hit. */
    synchronized Abandoned giveUp() {
        boolean first = end();
        if (first && worker != null) {
            interrupted = true;
            worker.interrupt();
        }
        return new Abandoned(first, interrupted);
    }

    /** Whether a call was ended just now, and a worker with it. */
    record Abandoned(boolean first, boolean withWorker) {}
}
