package io.postrider.observability;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicLong;

/** What is known of one destination: whether it is down, since when, and how often it was. Thread-safe. */
final class DestinationMeters {
    private final AtomicLong downSince = new AtomicLong();
    private final Counter outages;

    DestinationMeters(MeterRegistry registry, String destination) {
        Tags tags = Tags.of("destination", destination);
        Gauge.builder("postrider.destination.down", downSince, since -> since.get() == 0 ? 0 : 1)
                .description("1 while the destination takes no events from this node")
                .tags(tags)
                .strongReference(true)
                .register(registry);
        Gauge.builder("postrider.destination.down.since", downSince, AtomicLong::get)
                .description("Since when the destination takes no events, in seconds since 1970; 0 while it does")
                .tags(tags)
                .strongReference(true)
                .register(registry);
        this.outages = Counter.builder("postrider.destination.outages")
                .description("How often the destination was found to be down")
                .tags(tags)
                .register(registry);
    }

    void down(Instant now) {
        downSince.set(now.getEpochSecond());
        outages.increment();
    }

    void up() {
        downSince.set(0);
    }
}
