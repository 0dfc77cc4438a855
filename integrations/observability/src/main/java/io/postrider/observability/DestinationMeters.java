package io.postrider.observability;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Tags;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicLong;

/** The meters of one destination: whether it is down, since when, and how often it was. Thread-safe. */
final class DestinationMeters {
    private final AtomicLong downSince = new AtomicLong();
    private final Counter outages;

    DestinationMeters(LogRegistry registry, String destination) {
        Tags tags = Tags.of("destination", destination);
        registry.gauge(
                "postrider.destination.down",
                null,
                "1 while the destination takes no events from this node",
                tags,
                downSince,
                since -> since.get() == 0 ? 0 : 1);
        registry.gauge(
                "postrider.destination.down.since",
                null,
                "Since when the destination takes no events, in seconds since 1970; 0 while it does",
                tags,
                downSince,
                AtomicLong::get);
        this.outages = registry.counter(
                "postrider.destination.outages", "How often the destination was found to be down", tags);
    }

    void down(Instant now) {
        downSince.set(now.getEpochSecond());
        outages.increment();
    }

    void up() {
        downSince.set(0);
    }
}
