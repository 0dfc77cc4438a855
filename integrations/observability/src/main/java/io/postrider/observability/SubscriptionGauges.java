package io.postrider.observability;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tags;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/** The gauges of one subscription, which show the last reading; ages grow by themselves. Thread-safe. */
final class SubscriptionGauges {
    private final LogRegistry registry;
    private final Tags tags;
    private final List<Meter> gauges = new ArrayList<>();
    private volatile Reading reading = Reading.NOTHING;

    SubscriptionGauges(LogRegistry registry, String subscription, InstantSource clock) {
        this.registry = registry;
        this.tags = Tags.of("subscription", subscription);
        String pending = "Events that are not delivered yet and will be tried";
        gauge("postrider.pending", null, pending, Reading::pending);
        alias("outbox.pending.count", null, pending, Reading::pending);
        String oldest = "Age of the oldest event that is pending";
        ToDoubleFunction<Reading> pendingAge = last -> last.pendingAge(clock.instant());
        gauge("postrider.pending.age", "seconds", oldest, pendingAge);
        alias("outbox.oldest.pending.age", "seconds", oldest, pendingAge);
        alias("outbox.lag", "seconds", oldest, pendingAge);
        gauge(
                "postrider.worker.lag",
                "seconds",
                "Age of the oldest event that no node has read yet",
                last -> last.unreadAge(clock.instant()));
        alias(
                "dead.letter.queue.size",
                null,
                "Dead events about which nobody has decided",
                last -> last.counts().dead());
        ledger();
    }

    private void ledger() {
        state("pending", Reading::unread);
        state("delivered", last -> last.counts().delivered());
        state("skipped", last -> last.counts().skipped());
        state("parked", last -> last.counts().parked());
        state("dead", last -> last.counts().dead());
        state("expired", last -> last.counts().expired());
        state("discarded", last -> last.counts().discarded());
    }

    private void state(String state, ToDoubleFunction<Reading> value) {
        register("postrider.events", null, "Where the events of a subscription are", tags.and("state", state), value);
    }

    private void gauge(String name, @Nullable String unit, String description, ToDoubleFunction<Reading> value) {
        register(name, unit, description, tags, value);
    }

    private void register(
            String name, @Nullable String unit, String description, Tags tags, ToDoubleFunction<Reading> value) {
        gauges.add(registry.gauge(name, unit, description, tags, this, self -> value.applyAsDouble(self.reading)));
    }

    private void alias(String name, @Nullable String unit, String description, ToDoubleFunction<Reading> value) {
        gauges.addAll(
                registry.gaugeAlias(name, unit, description, tags, this, self -> value.applyAsDouble(self.reading)));
    }

    void show(Reading last) {
        reading = last;
    }

    void remove() {
        registry.remove(gauges);
    }
}
