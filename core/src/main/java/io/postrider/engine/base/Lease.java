package io.postrider.engine.base;

import io.postrider.Environment;
import java.time.Duration;

/**
 * Until when this node may start a dispatch, on its own monotonic clock. Counted from before the renewal was sent, so
 * it ends earlier than what the store granted, however long the answer took. Thread-safe.
 */
public final class Lease {
    private final Environment environment;
    private final Duration length;
    private long deadline;
    private long renewedNanos;
    private boolean held;
    private long term;
    /** A renewal was sent, and none has been answered since. */
    private boolean renewing;

    public Lease(Environment environment, Duration length) {
        this.environment = environment;
        this.length = length;
        this.deadline = environment.nanos();
        this.renewedNanos = environment.nanos();
    }

    public Duration length() {
        return length;
    }

    /** A renewal is about to be sent, at the time that this answers. */
    public synchronized long renewing() {
        renewing = true;
        return environment.nanos();
    }

    /** A renewal that was sent then has been answered. */
    public synchronized void renewed(long sentNanos) {
        prolong(sentNanos);
        renewedNanos = sentNanos;
        renewing = false;
        held = true;
    }

    /**
     * The store has extended it, by a call that was sent then; one that was lost meanwhile stays lost. Once it has run
     * out here, it may have done so there, and a renewal whose answer nobody has heard may have begun another: of the
     * lanes that others took in between only an answer can tell.
     */
    public synchronized void extended(long sentNanos, long inTerm) {
        boolean another = renewing && environment.nanos() - deadline >= 0;
        if (inTerm == term && !another) {
            prolong(sentNanos);
        }
    }

    /** Answers may come in another order than their calls were sent. */
    private void prolong(long sentNanos) {
        long until = sentNanos + length.toNanos();
        deadline = until - deadline > 0 ? until : deadline;
    }

    /** What was claimed before is void, also when a new lease begins at once. */
    public synchronized void lost() {
        held = false;
        term++;
    }

    public synchronized boolean isHeld() {
        return held;
    }

    /** How long ago the last call was sent that has prolonged it. */
    public synchronized Duration age() {
        return length.minus(Duration.ofNanos(deadline - environment.nanos()));
    }

    /** How long ago the last renewal was sent that was answered; an extension is no renewal. */
    public synchronized Duration sinceRenewal() {
        return Duration.ofNanos(environment.nanos() - renewedNanos);
    }

    /** Names the stretch without a loss; what is claimed in one may not be dispatched in another. */
    public synchronized long term() {
        return term;
    }

    public synchronized boolean valid(long claimedIn) {
        return held && claimedIn == term && environment.nanos() - deadline < 0;
    }
}
