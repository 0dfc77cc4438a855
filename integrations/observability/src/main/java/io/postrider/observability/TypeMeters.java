package io.postrider.observability;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;

/**
 * The meters of one event type in one subscription. Made together, so that a counter of failures is there, as zero,
 * before the first one happens: a rate can see it then. Thread-safe.
 */
final class TypeMeters {
    private final Counter published;
    private final Counter notPublished;
    private final Counter processed;
    private final Counter notProcessed;
    private final Timer duration;

    TypeMeters(MeterRegistry registry, String subscription, String type) {
        Tags bySubscription = Tags.of("subscription", subscription, "event.type", type);
        Tags byHandler = Tags.of("handler", subscription, "event.type", type);
        published = Counter.builder("outbox.publish.success")
                .description("Dispatches that were answered with success")
                .tags(bySubscription)
                .register(registry);
        notPublished = Counter.builder("outbox.publish.failed")
                .description("Dispatches that failed, whether or not they are tried again")
                .tags(bySubscription)
                .register(registry);
        processed = processed(registry, byHandler.and("status", "success"));
        notProcessed = processed(registry, byHandler.and("status", "error"));
        duration = Timer.builder("event.processing.duration")
                .description("From the call of a handler to its answer")
                .tags(byHandler)
                .serviceLevelObjectives(Buckets.durations())
                .register(registry);
    }

    private static Counter processed(MeterRegistry registry, Tags tags) {
        return Counter.builder("events.processed")
                .description("Events that a handler has processed, by what came of it")
                .tags(tags)
                .register(registry);
    }

    void dispatched(boolean delivered, Duration took) {
        (delivered ? published : notPublished).increment();
        (delivered ? processed : notProcessed).increment();
        duration.record(took);
    }
}
