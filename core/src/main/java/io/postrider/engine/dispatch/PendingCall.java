package io.postrider.engine.dispatch;

import io.postrider.destination.Outcome;
import org.jspecify.annotations.Nullable;

/**
 * A call that has not ended: the thread that is in it, and who ends it first, its answer or somebody who gives it up.
 * Thread-safe.
 */
public final class PendingCall {
    private @Nullable Thread worker;
    private long enteredNanos;
    private Calls.@Nullable Call made;
    private @Nullable Outcome givenUp;
    private boolean ended;
    private boolean interrupted;

    /** The end of an attempt to give a call up. */
    public enum GivenUp {
        /** Too late: the call had ended. */
        NO,
        /** No thread was in it. */
        WITHOUT_WORKER,
        /** Its thread was interrupted, and nobody knows when that returns. */
        WITH_WORKER
    }

    /** The calling thread begins, at this time; false if the call has ended. */
    public synchronized boolean enter(long nanos) {
        if (!ended) {
            enteredNanos = nanos;
            worker = Thread.currentThread();
        }
        return !ended;
    }

    /** The call of the destination is about to be made, the first or one that follows at once. */
    public void makes(Calls.Call call) {
        Outcome late;
        synchronized (this) {
            made = call;
            late = givenUp;
            if (late != null) {
                call.giveUp(late);
            }
        }
        if (late != null) {
            call.tellGivenUp();
        }
    }

    /**
     * The thread goes on with something else, answered or not; false if the call was given up, and this thread with it.
     * From now on nobody interrupts the thread for this call, and an interrupt that was meant for it is not for the
     * next.
     */
    public synchronized boolean leave() {
        if (interrupted) {
            Thread.interrupted();
        }
        worker = null;
        return !interrupted;
    }

    /** True for the one who ends it. */
    public synchronized boolean end() {
        boolean first = !ended;
        ended = true;
        return first;
    }

    public synchronized boolean hasEnded() {
        return ended;
    }

    /** How long its thread has been in it, or null if there is nothing to give up. */
    public synchronized @Nullable Long runningNanos(long nanos) {
        return ended || worker == null ? null : nanos - enteredNanos;
    }

    public GivenUp giveUp(Outcome outcome) {
        return giveUp(outcome, () -> {});
    }

    /**
     * Ends it with this outcome, and interrupts its thread within the lock, so that no other call is hit. The
     * destination has not heard of it yet: see {@link #tellGivenUp}.
     *
     * @param before runs before the thread hears of it; part of the engine, as it runs within the lock
     */
    public synchronized GivenUp giveUp(Outcome outcome, Runnable before) {
        if (!end()) {
            return GivenUp.NO;
        }
        givenUp = outcome;
        before.run();
        if (made != null) {
            made.giveUp(outcome);
        }
        if (worker == null) {
            return GivenUp.WITHOUT_WORKER;
        }
        interrupted = true;
        worker.interrupt();
        return GivenUp.WITH_WORKER;
    }

    /**
     * Tells destination and observers that the call was given up, once whoever gave it up has done what it owes the
     * engine. Their code is the host's: it runs outside the lock, as it may wait for a thread that answers a call, and
     * whatever it throws ends here.
     */
    public void tellGivenUp() {
        Calls.Call call;
        synchronized (this) {
            call = givenUp == null ? null : made;
        }
        if (call != null) {
            call.tellGivenUp();
        }
    }
}
