package io.postrider.observability;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Tags;
import io.postrider.observe.Observation;
import java.util.concurrent.atomic.AtomicInteger;

/** The segments of the log, as this node's last prune has left them. Thread-safe. */
final class SegmentMeters {
    private final AtomicInteger segments = new AtomicInteger();
    private final AtomicInteger undropped = new AtomicInteger();
    private final Counter failures;

    SegmentMeters(LogRegistry registry) {
        registry.gauge("postrider.segments", null, "Segments of the log", Tags.empty(), segments, AtomicInteger::get);
        registry.gauge(
                "postrider.segments.undropped",
                null,
                "Empty segments that open appends have kept from being dropped",
                Tags.empty(),
                undropped,
                AtomicInteger::get);
        failures = registry.counter(
                "postrider.segments.drop.failed",
                "Prunes of this node that could not drop every empty segment",
                Tags.empty());
    }

    void pruned(Observation.Pruned pruned) {
        segments.set(pruned.segments());
        undropped.set(pruned.undropped());
        if (pruned.undropped() > 0) {
            failures.increment();
        }
    }
}
