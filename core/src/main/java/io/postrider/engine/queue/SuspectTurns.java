package io.postrider.engine.queue;

import io.postrider.Environment;
import java.time.Duration;

/**
 * When a node makes room for a suspect task, which must run alone: at once if nothing runs, otherwise by claiming
 * nothing for a while, and not too often, so that a suspect behind a long task does not stop all others. Not
 * thread-safe.
 */
final class SuspectTurns {
    /** Of ten leases, one is given to suspects. */
    private static final int SELDOM = 10;

    private final Environment environment;
    private final Duration lease;
    private long holdUntil;
    private long nextHold;

    SuspectTurns(Environment environment, Duration lease) {
        this.environment = environment;
        this.lease = lease;
        this.holdUntil = environment.nanos();
        this.nextHold = holdUntil;
    }

    /** Whether the next claim is for a suspect, or for nobody until what runs has ended. */
    boolean come(boolean suspects, boolean idle) {
        if (!suspects || idle) {
            return suspects;
        }
        long now = environment.nanos();
        if (now - nextHold >= 0) {
            holdUntil = now + lease.toNanos();
            nextHold = now + lease.multipliedBy(SELDOM).toNanos();
        }
        return now - holdUntil < 0;
    }
}
