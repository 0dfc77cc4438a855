package io.postrider.observability;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.postrider.Counts;
import io.postrider.Drop;
import io.postrider.Lane;
import io.postrider.Observation;
import io.postrider.Outcome;
import io.postrider.StoredEvent;
import io.postrider.spi.Delivery;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** The meters of one subscription on this node. Thread-safe. */
final class SubscriptionMeters {
    private final MeterRegistry registry;
    private final String subscription;
    private final Tags tags;
    private final Map<String, TypeMeters> types = new ConcurrentHashMap<>();

    private final Counter done;
    private final Counter failed;
    private final Counter lost;
    private final Counter delivered;
    private final Counter skipped;
    private final Counter dead;
    private final Counter expired;
    private final Map<Drop.Reason, Counter> dropped = new EnumMap<>(Drop.Reason.class);
    private volatile double expiryShortBy;
    private final DistributionSummary latency;
    private final Timer delay;
    private final AtomicInteger inFlight = new AtomicInteger();
    private final AtomicInteger lanes = new AtomicInteger();
    private final Set<Lane> full = ConcurrentHashMap.newKeySet();

    SubscriptionMeters(MeterRegistry registry, String subscription) {
        this.registry = registry;
        this.subscription = subscription;
        this.tags = Tags.of("subscription", subscription);
        done = counter("outbox.done", "Events that were delivered, once that is settled");
        failed = counter("outbox.failed", "Times an event was settled as failed: to be tried again, or dead");
        lost = counter("postrider.lanes.lost", "Lanes lost before a batch settled: some of it may be delivered twice");
        delivered = settled("delivered");
        skipped = settled("skipped");
        dead = settled("dead");
        expired = settled("expired");
        latency = DistributionSummary.builder("outbox.publish.latency")
                .baseUnit("ms")
                .description("From the call of a destination to its answer, in milliseconds")
                .tags(tags)
                .serviceLevelObjectives(Buckets.millis())
                .register(registry);
        delay = Timer.builder("postrider.delivery.delay")
                .description("From the append, or the time an event was wanted, until it was delivered")
                .tags(tags)
                .serviceLevelObjectives(Buckets.durations())
                .register(registry);
        for (Drop.Reason reason : Drop.Reason.values()) {
            dropped.put(reason, dropped(reason.name().toLowerCase(Locale.ROOT)));
        }
        Gauge.builder("postrider.expiry.short.by", this, self -> self.expiryShortBy)
                .baseUnit("seconds")
                .description("How much too late the most threatened event would come at the present rate")
                .tags(tags)
                .strongReference(true)
                .register(registry);
        gauge("processing.inflight", "Events that are with a destination now", inFlight);
        gauge("postrider.lanes.owned", "Lanes that this node has", lanes);
        Gauge.builder("postrider.lanes.full", full, Set::size)
                .description("Lanes of this node that read nothing new, because too much of them waits")
                .tags(tags)
                .strongReference(true)
                .register(registry);
    }

    private Counter counter(String name, String description) {
        return Counter.builder(name).description(description).tags(tags).register(registry);
    }

    private Counter settled(String outcome) {
        return Counter.builder("postrider.settled")
                .description("Events settled, by what they came to")
                .tags(tags.and("outcome", outcome))
                .register(registry);
    }

    private Counter dropped(String reason) {
        return Counter.builder("postrider.dropped")
                .description("Events that this node's sweeps have let go")
                .tags(tags.and("reason", reason))
                .register(registry);
    }

    private void gauge(String name, String description, AtomicInteger number) {
        Gauge.builder(name, number, AtomicInteger::get)
                .description(description)
                .tags(tags)
                .strongReference(true)
                .register(registry);
    }

    void began(int events) {
        inFlight.addAndGet(events);
    }

    void answered(int events) {
        inFlight.addAndGet(-events);
    }

    void dispatched(Observation.Dispatched dispatched, String type, Instant now) {
        boolean success = dispatched.outcome() instanceof Outcome.Delivered;
        types.computeIfAbsent(type, label -> new TypeMeters(registry, subscription, label))
                .dispatched(success, dispatched.took());
        latency.record(dispatched.took().toNanos() / (double) TimeUnit.MILLISECONDS.toNanos(1));
        if (success) {
            Duration late = Duration.between(wanted(dispatched.event()), now);
            delay.record(late.isNegative() ? Duration.ZERO : late); // the store's clock may be ahead of ours
        }
    }

    private static Instant wanted(StoredEvent event) {
        Instant deliverAt = event.schedule().deliverAt();
        return deliverAt != null && deliverAt.isAfter(event.appendedAt()) ? deliverAt : event.appendedAt();
    }

    void settled(Observation.Settled settled) {
        Counts change = settled.change();
        done.increment((double) change.delivered());
        long failures =
                settled.rows().stream().filter(SubscriptionMeters::hasFailed).count();
        failed.increment((double) failures);
        delivered.increment((double) change.delivered());
        skipped.increment((double) change.skipped());
        dead.increment((double) change.dead());
        expired.increment((double) change.expired());
    }

    /** Others wait behind one that has failed, for their time, or run on. */
    private static boolean hasFailed(Delivery row) {
        return row.status() == Delivery.Status.DEAD
                || (row.status() == Delivery.Status.RETRYING && row.attempt() > 0 && row.error() != null);
    }

    void shared(int owned) {
        lanes.set(owned);
    }

    void dropped(Drop drop) {
        Objects.requireNonNull(dropped.get(drop.reason())).increment((double) drop.events());
    }

    void expiryThreatened(Duration shortBy) {
        expiryShortBy = shortBy.toMillis() / 1_000.0;
    }

    void lost() {
        lost.increment();
    }

    void full(Lane lane, boolean isFull) {
        if (isFull) {
            full.add(lane);
        } else {
            full.remove(lane);
        }
    }
}
