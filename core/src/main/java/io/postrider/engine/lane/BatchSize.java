package io.postrider.engine.lane;

import io.postrider.engine.dispatch.SubscriptionSpec;
import java.time.Duration;

/**
 * How many events a lane claims next: twice as many after a batch that settled fast, half as many after one that did
 * not. Not thread-safe: the lane guards it.
 */
final class BatchSize {
    /** The first batch of a new owner is small, so that a crash leaves few suspects. */
    private static final int FIRST = 64;
    /** A batch is fast if it settles within this part of {@code settleAfter}. */
    private static final int FAST_PART = 4;

    private final int most;
    private final Duration fast;
    private int events;

    BatchSize(SubscriptionSpec spec) {
        most = spec.batchEvents();
        fast = spec.limits().settleAfter().dividedBy(FAST_PART);
        events = Math.min(FIRST, most);
    }

    int events() {
        return events;
    }

    void settledWithin(Duration time) {
        events = time.compareTo(fast) < 0 ? Math.min(events * 2, most) : Math.max(1, events / 2);
    }
}
