package io.postrider.engine;

import io.postrider.Outcome;
import io.postrider.spi.Settlement;
import io.postrider.spi.StoreException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A batch under way in one transaction, settlement included. Either its worker enters the settlement, or someone gives
 * the flight up and the worker rolls back whenever it returns: never both, so that what a lane settles after it has
 * given up is not committed a second time. Thread-safe.
 */
final class EffectFlight {
    final Flight flight;
    final LaneState.Draft draft;
    final Lane lane;
    /** The event whose handler was called last. Only its worker's. */
    @Nullable
    Item called;

    /** Events whose effect had been committed before. Only its worker's. */
    final List<Item> repeated = new ArrayList<>(0);

    private Phase phase = Phase.WAITING;
    private @Nullable Thread worker;
    private long calledNanos;
    private Calls.@Nullable Call call;
    private @Nullable Outcome givenUp;

    private enum Phase {
        WAITING,
        RUNNING,
        SETTLING,
        ENDED,
        GIVEN_UP
    }

    /** Whom it tells what the transaction came to. Called by whichever thread caused it. */
    interface Lane {
        /** Effects and settlement were committed. */
        void settled(Settlement written, Verdicts verdicts);

        /** Nothing was committed; the batch says what is to be settled instead. */
        void undone();

        /** Nothing was committed, because the lane is another's by now. */
        void lost();

        /** Nobody knows what was committed. */
        void failing(StoreException failure);
    }

    EffectFlight(Flight flight, LaneState.Draft draft, Lane lane) {
        this.flight = flight;
        this.draft = draft;
        this.lane = lane;
    }

    Batch batch() {
        return flight.batch();
    }

    /** False if it was given up while it waited for a worker. */
    synchronized boolean begin(Thread worker, long nanos) {
        if (phase != Phase.WAITING) {
            return false;
        }
        phase = Phase.RUNNING;
        this.worker = worker;
        this.calledNanos = nanos;
        return true;
    }

    /** A handler is about to be called; false if it must not be. */
    synchronized boolean begins(long nanos) {
        calledNanos = nanos;
        return phase == Phase.RUNNING;
    }

    /** The call of the handler, so that whoever gives the flight up can say so. */
    synchronized void makes(Calls.Call call) {
        this.call = call;
        if (givenUp != null) {
            call.giveUp(givenUp);
        }
    }

    /** How long the handler has been running, or null if there is nothing to give up. */
    synchronized @Nullable Long runningNanos(long nanos) {
        return phase == Phase.RUNNING ? nanos - calledNanos : null;
    }

    /** From now on it cannot be given up; false if it was. */
    synchronized boolean settles() {
        if (phase != Phase.RUNNING) {
            return false;
        }
        phase = Phase.SETTLING;
        return true;
    }

    /**
     * The worker is done with it; false if it was given up before, and told the lane nothing. What interrupted its
     * thread was meant for this flight, and not for what the thread does next.
     */
    synchronized boolean end() {
        if (phase == Phase.GIVEN_UP) {
            Thread.interrupted();
            return false;
        }
        phase = Phase.ENDED;
        return true;
    }

    /** Whether the settlement is on its way: whatever fails from now on, it may have been committed. */
    synchronized boolean isSettling() {
        return phase == Phase.SETTLING;
    }

    synchronized boolean isGivenUp() {
        return phase == Phase.GIVEN_UP;
    }

    /** What came of an attempt to give a flight up. */
    enum GivenUp {
        /** Too late: it settles, or has ended. */
        NO,
        /** No worker had begun it. */
        UNBEGUN,
        /** Its worker was interrupted, and nobody knows when it returns. */
        WITH_WORKER
    }

    /** Gives it up, and the event whose handler runs has failed. */
    synchronized GivenUp giveUp(String why) {
        if (phase != Phase.WAITING && phase != Phase.RUNNING) {
            return GivenUp.NO;
        }
        phase = Phase.GIVEN_UP;
        givenUp = Outcome.retry(why);
        batch().giveUp(givenUp);
        if (call != null) {
            call.giveUp(givenUp);
        }
        if (worker == null) {
            return GivenUp.UNBEGUN;
        }
        worker.interrupt();
        return GivenUp.WITH_WORKER;
    }
}
