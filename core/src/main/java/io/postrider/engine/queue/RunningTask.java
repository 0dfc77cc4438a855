package io.postrider.engine.queue;

import io.postrider.destination.Destination;
import io.postrider.destination.Outcome;
import io.postrider.engine.dispatch.PendingCall;
import io.postrider.engine.dispatch.TransactionalDestination;
import io.postrider.store.Claim;
import io.postrider.store.Tasks;

/** A claimed task on its way. */
public record RunningTask(Claim.ClaimedDelivery task, Destination destination, long startedNanos, PendingCall call) {

    RunningTask(Claim.ClaimedDelivery task, Destination destination, long startedNanos) {
        this(task, destination, startedNanos, new PendingCall());
    }

    public static Tasks.HeldTask held(Claim.ClaimedDelivery task) {
        return new Tasks.HeldTask(task.event().lane(), task.delivery().position(), task.claim());
    }

    Tasks.HeldTask held() {
        return held(task);
    }

    /** Its outcome where there was no answer in time. */
    Outcome late(String why) {
        return TransactionalDestination.late(destination, task.event().id(), why);
    }

    boolean isSuspect() {
        return task.delivery().suspect();
    }
}
