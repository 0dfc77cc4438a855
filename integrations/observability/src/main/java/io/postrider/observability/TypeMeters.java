package io.postrider.observability;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;

/**
 * The meters of one event type in one subscription. Made together, so that a counter of failures is there, as zero,
 * before the first one happens: a rate can see it then. Thread-safe.
 */
final class TypeMeters {
    private final Outcomes delivered;
    private final Outcomes failed;
    private final Timer duration;
    private final LogRegistry.Alias<Timer> processingDuration;

    TypeMeters(LogRegistry registry, String subscription, String type) {
        Tags bySubscription = Tags.of("subscription", subscription, "event.type", type);
        Tags byHandler = Tags.of("handler", subscription, "event.type", type);
        delivered = new Outcomes(
                registry.counter(
                        "postrider.dispatched",
                        "Dispatches, by what came of them",
                        bySubscription.and("outcome", "success")),
                registry.counterAlias(
                        "outbox.publish.success", "Dispatches that were answered with success", bySubscription),
                processed(registry, byHandler.and("status", "success")));
        failed = new Outcomes(
                registry.counter(
                        "postrider.dispatched",
                        "Dispatches, by what came of them",
                        bySubscription.and("outcome", "failed")),
                registry.counterAlias(
                        "outbox.publish.failed",
                        "Dispatches that failed, whether or not they are tried again",
                        bySubscription),
                processed(registry, byHandler.and("status", "error")));
        duration = registry.timer(
                "postrider.dispatch.duration", "From the call of a destination to its answer", bySubscription);
        processingDuration =
                registry.timerAlias("event.processing.duration", "From the call of a handler to its answer", byHandler);
    }

    private static LogRegistry.Alias<Counter> processed(LogRegistry registry, Tags tags) {
        return registry.counterAlias(
                "events.processed", "Events that a handler has processed, by what came of it", tags);
    }

    /** One outcome under its three names. */
    private record Outcomes(
            Counter dispatched, LogRegistry.Alias<Counter> published, LogRegistry.Alias<Counter> processed) {
        void increment() {
            dispatched.increment();
            published.tell(Counter::increment);
            processed.tell(Counter::increment);
        }
    }

    void dispatched(boolean success, Duration took) {
        (success ? delivered : failed).increment();
        duration.record(took);
        processingDuration.tell(timer -> timer.record(took));
    }
}
