package io.postrider.observability;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.postrider.Observation;
import io.postrider.Outcome;
import io.postrider.spi.Destination;
import io.postrider.spi.Observer;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Counts and times what one node does, as Micrometer meters; {@code docs/reference/metrics.md} lists them. What only
 * the store knows, such as how much is pending, is in {@link Gauges}.
 *
 * <p>Names have dots, as is usual in Micrometer: {@code outbox.publish.success} is scraped by Prometheus as
 * {@code outbox_publish_success_total}. One instance per node and registry. Thread-safe.
 */
public final class Meters implements Observer {
    /** Event types that get a label value of their own, unless told otherwise; all others are {@code other}. */
    public static final int EVENT_TYPES_MAX = 200;

    private final MeterRegistry registry;
    private final InstantSource clock;
    private final TypeLabels types;
    private final Counter appended;
    private final Map<String, Counter> appendedByType = new ConcurrentHashMap<>();
    private final Map<String, SubscriptionMeters> subscriptions = new ConcurrentHashMap<>();
    private final Map<String, SourceMeters> sources = new ConcurrentHashMap<>();
    private final Map<String, DestinationMeters> destinations = new ConcurrentHashMap<>();
    private final AtomicInteger storeDown = new AtomicInteger();

    private Meters(MeterRegistry registry, int eventTypesMax, InstantSource clock) {
        this.registry = registry;
        this.clock = clock;
        this.types = new TypeLabels(eventTypesMax);
        this.appended = Counter.builder("outbox.new")
                .description("Events appended by this node, also in transactions that were rolled back")
                .register(registry);
        Gauge.builder("postrider.store.down", storeDown, AtomicInteger::get)
                .description("1 while the store does not answer this node")
                .strongReference(true)
                .register(registry);
    }

    public static Meters on(MeterRegistry registry) {
        return on(registry, EVENT_TYPES_MAX);
    }

    /** With another limit of event types that get a label value of their own. */
    public static Meters on(MeterRegistry registry, int eventTypesMax) {
        return new Meters(registry, eventTypesMax, InstantSource.system());
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
            of(shared.subscription()).shared(shared.lanes());
        } else if (observation instanceof Observation.Full full) {
            of(full.subscription()).full(full.lane(), full.full());
        } else if (observation instanceof Observation.Lost lost) {
            of(lost.subscription()).lost();
        } else if (observation instanceof Observation.ExpiryThreatened threatened) {
            of(threatened.subscription()).expiryThreatened(threatened.shortBy());
        } else if (observation instanceof Observation.Dropped dropped) {
            of(dropped.drop().subscription()).dropped(dropped.drop());
        } else {
            observeOutage(observation);
        }
    }

    private void observeOutage(Observation observation) {
        if (observation instanceof Observation.StoreDown) {
            storeDown.set(1);
        } else if (observation instanceof Observation.StoreUp) {
            storeDown.set(0);
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
        }
    }

    private SourceMeters source(String source) {
        return sources.computeIfAbsent(source, name -> new SourceMeters(registry, name));
    }

    private void unsealed(Observation.Unsealed unsealed) {
        Counter.builder("postrider.destination.lost")
                .description("Events that the destination had acknowledged and lost, and that were dispatched again")
                .tag("destination", unsealed.destination())
                .tag("subscription", unsealed.subscription())
                .register(registry)
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
        appended.increment(written.events().size());
        written.events()
                .forEach(one -> appendedByType
                        .computeIfAbsent(types.of(one.event().type()), this::appendedOf)
                        .increment());
    }

    private Counter appendedOf(String type) {
        return Counter.builder("events.published")
                .description("Events appended by this node, by type")
                .tag("event.type", type)
                .register(registry);
    }

    private SubscriptionMeters of(String subscription) {
        return subscriptions.computeIfAbsent(subscription, name -> new SubscriptionMeters(registry, name));
    }
}
