package io.postrider.engine;

import io.postrider.spi.Environment;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Until when this node may start a dispatch, on its own monotonic clock. Counted from before the renewal was sent, so
 * it ends earlier than what the store granted, however long the answer took.
 */
final class Lease {
    private final Environment environment;
    private final Duration length;
    private volatile long deadline;
    private volatile boolean held;
    private final AtomicLong term = new AtomicLong();

    Lease(Environment environment, Duration length) {
        this.environment = environment;
        this.length = length;
    }

    Duration length() {
        return length;
    }

    void renewed(long sentNanos) {
        deadline = sentNanos + length.toNanos();
        held = true;
    }

    /** What was claimed before is void, also when a new lease begins at once. */
    void lost() {
        held = false;
        term.incrementAndGet();
    }

    /** Names the stretch without a loss; what is claimed in one may not be dispatched in another. */
    long term() {
        return term.get();
    }

    boolean valid(long claimedIn) {
        return held && claimedIn == term.get() && environment.nanos() - deadline < 0;
    }
}
