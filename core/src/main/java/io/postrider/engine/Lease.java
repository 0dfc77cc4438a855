package io.postrider.engine;

import io.postrider.spi.Environment;
import java.time.Duration;

/**
 * Until when this node may start a dispatch, on its own monotonic clock. Counted from before the renewal was sent, so
 * it ends earlier than what the store granted, however long the answer took.
 */
final class Lease {
    private final Environment environment;
    private final Duration length;
    private volatile long deadline;
    private volatile boolean held;

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

    void lost() {
        held = false;
    }

    boolean valid() {
        return held && environment.nanos() - deadline < 0;
    }
}
