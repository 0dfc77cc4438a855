package io.postrider.engine;

import io.postrider.Outcome;
import io.postrider.spi.Claim;
import io.postrider.spi.Destination;
import io.postrider.spi.Tasks;
import org.jspecify.annotations.Nullable;

/** A claimed task on its way. Thread-safe: the queue gives it up while a handler runs it. */
final class RunningTask {
    final Claim.ClaimedDelivery task;
    final Destination destination;
    final long startedNanos;
    private @Nullable Thread thread;
    private Calls.@Nullable Call call;
    private @Nullable Outcome givenUp;
    private boolean over;
    private boolean interrupted;

    RunningTask(Claim.ClaimedDelivery task, Destination destination, long startedNanos) {
        this.task = task;
        this.destination = destination;
        this.startedNanos = startedNanos;
    }

    static Tasks.Held held(Claim.ClaimedDelivery task) {
        return new Tasks.Held(task.event().lane(), task.delivery().position(), task.claim());
    }

    Tasks.Held held() {
        return held(task);
    }

    boolean isSuspect() {
        return task.delivery().suspect();
    }

    /** The calling thread begins to run it; false if it was given up before. */
    synchronized boolean enter() {
        thread = over ? null : Thread.currentThread();
        return !over;
    }

    /** The thread goes on with something else: whatever interrupted it was meant for this task. */
    synchronized void leave() {
        if (interrupted) {
            Thread.interrupted();
        }
        thread = null;
    }

    /** The call of its destination, so that whoever gives it up can say so. */
    synchronized void makes(Calls.Call call) {
        this.call = call;
        if (givenUp != null) {
            call.giveUp(givenUp);
        }
    }

    /** Whatever it comes to from now on is ignored. True for the one who ends it. */
    synchronized boolean end() {
        boolean first = !over;
        over = true;
        return first;
    }

    /** Ends it with this, and tells whoever runs it to stop. */
    synchronized void giveUp(Outcome outcome) {
        over = true;
        givenUp = outcome;
        if (call != null) {
            call.giveUp(outcome);
        }
        if (thread != null) {
            interrupted = true;
            thread.interrupt();
        }
    }
}
