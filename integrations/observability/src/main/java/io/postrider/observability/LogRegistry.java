package io.postrider.observability;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * A registry as the meters of one log see it: each has the log's name, so that an outbox and an inbox in one registry
 * stay apart, and the names without our prefix are there only where they are wanted. Thread-safe.
 */
final class LogRegistry {
    private final MeterRegistry registry;
    private final Tags log;
    private final boolean aliases;
    /** The meters of subscriptions and destinations, which may be removed. */
    private final Set<Meter> made = ConcurrentHashMap.newKeySet();

    LogRegistry(MeterRegistry registry, String log, boolean aliases) {
        this.registry = registry;
        this.log = Tags.of("log", log);
        this.aliases = aliases;
    }

    Counter counter(String name, String description, Tags tags) {
        return made(Counter.builder(name)
                .description(description)
                .tags(log.and(tags))
                .register(registry));
    }

    /** Counts under another name too. */
    Alias<Counter> counterAlias(String name, String description, Tags tags) {
        return aliases ? new Alias<>(List.of(counter(name, description, tags))) : new Alias<>(List.of());
    }

    Timer timer(String name, String description, Tags tags) {
        return made(Timer.builder(name)
                .description(description)
                .tags(log.and(tags))
                .serviceLevelObjectives(Buckets.durations())
                .register(registry));
    }

    Alias<Timer> timerAlias(String name, String description, Tags tags) {
        return aliases ? new Alias<>(List.of(timer(name, description, tags))) : new Alias<>(List.of());
    }

    Alias<DistributionSummary> millisAlias(String name, String description, Tags tags) {
        if (!aliases) {
            return new Alias<>(List.of());
        }
        return new Alias<>(List.of(made(DistributionSummary.builder(name)
                .baseUnit("ms")
                .description(description)
                .tags(log.and(tags))
                .serviceLevelObjectives(Buckets.millis())
                .register(registry))));
    }

    <S> Meter gauge(
            String name, @Nullable String unit, String description, Tags tags, S state, ToDoubleFunction<S> value) {
        return made(Gauge.builder(name, state, value)
                .baseUnit(unit)
                .description(description)
                .tags(log.and(tags))
                .strongReference(true)
                .register(registry));
    }

    <S> List<Meter> gaugeAlias(
            String name, @Nullable String unit, String description, Tags tags, S state, ToDoubleFunction<S> value) {
        return aliases ? List.of(gauge(name, unit, description, tags, state, value)) : List.of();
    }

    private <M extends Meter> M made(M meter) {
        made.add(meter);
        return meter;
    }

    void remove(List<Meter> meters) {
        new ArrayList<>(meters).forEach(this::remove);
    }

    /** Removes the meters that have one of these tags with such a value. */
    void remove(Set<String> tags, Predicate<String> value) {
        for (Meter meter : made) {
            if (meter.getId().getTags().stream()
                    .anyMatch(tag -> tags.contains(tag.getKey()) && value.test(tag.getValue()))) {
                remove(meter);
            }
        }
    }

    private void remove(Meter meter) {
        made.remove(meter);
        registry.remove(meter);
    }

    /** A meter under another name, or none where those are switched off. */
    record Alias<M>(List<M> meters) {
        void tell(Consumer<M> what) {
            meters.forEach(what);
        }
    }
}
