package io.postrider.redis;

import java.util.concurrent.atomic.LongAdder;

/** Where a bus counts. Thread-safe. */
final class BusTally {
    final LongAdder received = new LongAdder();
    final LongAdder handled = new LongAdder();
    final LongAdder failed = new LongAdder();
    final LongAdder unreadable = new LongAdder();
    final LongAdder dropped = new LongAdder();
    final LongAdder gaps = new LongAdder();

    BusCounts counts() {
        return new BusCounts(received.sum(), handled.sum(), failed.sum(), unreadable.sum(), dropped.sum(), gaps.sum());
    }
}
