package io.postrider.observability;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Tags;
import io.postrider.destination.Destination;
import io.postrider.destination.Outcome;
import io.postrider.observe.Observation;
import io.postrider.observe.Observer;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;

/** Counts and times the work of one node on one log. Thread-safe. */
final class LogMeters implements Observer {
    private static final String APPENDED = "Events appended by this node, also in transactions that were rolled back";

    private final LogRegistry registry;
    private final InstantSource clock;
    private final TypeLabels types;
    private final LogRegistry.Alias<Counter> appended;
    private final Map<String, Appended> appendedByType = new ConcurrentHashMap<>();
    private final Map<String, SubscriptionMeters> subscriptions = new ConcurrentHashMap<>();
    private final Map<String, SourceMeters> sources = new ConcurrentHashMap<>();
    private final Map<String, DestinationMeters> destinations = new ConcurrentHashMap<>();
    private final AtomicInteger storeDown = new AtomicInteger();
    private final SegmentMeters segments;
    private final Counter renewedLate;

    LogMeters(LogRegistry registry, int eventTypesMax, InstantSource clock) {
        this.registry = registry;
        this.clock = clock;
        this.types = new TypeLabels(eventTypesMax);
        this.segments = new SegmentMeters(registry);
        this.appended = registry.counterAlias("outbox.new", APPENDED, Tags.empty());
        this.renewedLate = registry.counter(
                "postrider.renewed.late",
                "Leases that were renewed late: the store was slow, or had no connection free",
                Tags.empty());
        registry.gauge(
                "postrider.store.down",
                null,
                "1 while the store does not answer this node",
                Tags.empty(),
                storeDown,
                AtomicInteger::get);
    }

    @Override
    public void observe(Observation observation) {
        if (observation instanceof Observation.Dispatched dispatched) {
            of(dispatched.subscription())
                    .dispatched(dispatched, types.of(dispatched.event().type()), clock.instant());
        } else if (observation instanceof Observation.Appended written) {
            appended(written);
        } else if (observation instanceof Observation.Settled settled) {
            of(settled.subscription()).settled(settled);
        } else if (observation instanceof Observation.Received received) {
            source(received.source()).received(received);
        } else {
            observeRare(observation);
        }
    }

    private void observeRare(Observation observation) {
        if (observation instanceof Observation.Shared shared) {
            of(shared.subscription()).shared(shared.lanes(), shared.of());
        } else if (observation instanceof Observation.Removed removed) {
            removed(removed.subscription());
        } else if (observation instanceof Observation.Full full) {
            of(full.subscription()).full(full.lane(), full.full());
        } else if (observation instanceof Observation.Lost lost) {
            of(lost.subscription()).lost();
        } else if (observation instanceof Observation.ExpiryThreatened threatened) {
            of(threatened.subscription()).expiryThreatened(threatened.shortBy());
        } else if (observation instanceof Observation.Dropped dropped) {
            of(dropped.drop().subscription()).dropped(dropped.drop());
        } else if (observation instanceof Observation.Pruned pruned) {
            segments.pruned(pruned);
        } else {
            observeOutage(observation);
        }
    }

    private void observeOutage(Observation observation) {
        if (observation instanceof Observation.StoreDown) {
            storeDown.set(1);
        } else if (observation instanceof Observation.StoreUp) {
            storeDown.set(0);
        } else if (observation instanceof Observation.RenewedLate) {
            renewedLate.increment();
        } else if (observation instanceof Observation.DestinationDown down) {
            destination(down.destination()).down(clock.instant());
        } else if (observation instanceof Observation.DestinationUp up) {
            destination(up.destination()).up();
        } else if (observation instanceof Observation.Unsealed unsealed) {
            unsealed(unsealed);
        } else {
            observeSource(observation);
        }
    }

    private void observeSource(Observation observation) {
        if (observation instanceof Observation.SetAside aside) {
            source(aside.source()).setAside();
        } else if (observation instanceof Observation.SourceDown down) {
            source(down.source()).down(true);
        } else if (observation instanceof Observation.SourceUp up) {
            source(up.source()).down(false);
        } else if (observation instanceof Observation.SourceWentBack back) {
            source(back.source()).wentBack();
        }
    }

    /** A gauge that stayed, at zero lanes, would look like a subscription that no node runs. */
    private void removed(String subscription) {
        Predicate<String> isItsDestination = name -> name.startsWith(subscription + " (");
        subscriptions.remove(subscription);
        destinations.keySet().removeIf(isItsDestination);
        registry.remove(Set.of("subscription", "handler"), subscription::equals);
        registry.remove(Set.of("destination"), isItsDestination);
    }

    private SourceMeters source(String source) {
        return sources.computeIfAbsent(source, name -> new SourceMeters(registry, name));
    }

    private void unsealed(Observation.Unsealed unsealed) {
        registry.counter(
                        "postrider.destination.lost",
                        "Events that the destination had acknowledged and lost, and that were dispatched again",
                        Tags.of("destination", unsealed.destination(), "subscription", unsealed.subscription()))
                .increment(unsealed.events());
    }

    private DestinationMeters destination(String name) {
        return destinations.computeIfAbsent(name, each -> new DestinationMeters(registry, each));
    }

    @Override
    public Dispatching dispatching(List<Destination.Dispatch> dispatches) {
        SubscriptionMeters meters = of(dispatches.get(0).subscription());
        meters.began(dispatches.size());
        return new Dispatching() {
            @Override
            public void answered(List<Outcome> outcomes) {
                meters.answered(dispatches.size());
            }
        };
    }

    private void appended(Observation.Appended written) {
        appended.tell(counter -> counter.increment(written.events().size()));
        written.events()
                .forEach(one -> appendedByType
                        .computeIfAbsent(types.of(one.event().type()), this::appendedOf)
                        .increment());
    }

    private Appended appendedOf(String type) {
        Tags tags = Tags.of("event.type", type);
        return new Appended(
                registry.counter("postrider.appended", APPENDED, tags),
                registry.counterAlias("events.published", APPENDED, tags));
    }

    /** The appends of one type, under both names. */
    private record Appended(Counter appended, LogRegistry.Alias<Counter> published) {
        void increment() {
            appended.increment();
            published.tell(Counter::increment);
        }
    }

    private SubscriptionMeters of(String subscription) {
        return subscriptions.computeIfAbsent(subscription, name -> new SubscriptionMeters(registry, name));
    }
}
