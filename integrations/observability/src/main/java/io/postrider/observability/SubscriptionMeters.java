package io.postrider.observability;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.postrider.Lane;
import io.postrider.StoredEvent;
import io.postrider.observe.Observation;
import io.postrider.operate.Counts;
import io.postrider.operate.Delivery;
import io.postrider.operate.Drop;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/** The meters of one subscription on this node. Thread-safe. */
final class SubscriptionMeters {
    private final LogRegistry registry;
    private final String subscription;
    private final Tags tags;
    private final Map<String, TypeMeters> types = new ConcurrentHashMap<>();

    private final LogRegistry.Alias<Counter> done;
    private final Counter failed;
    private final LogRegistry.Alias<Counter> failedAlias;
    private final Counter lost;
    private final Counter delivered;
    private final Counter skipped;
    private final Counter dead;
    private final Counter expired;
    private final Map<Drop.Reason, Counter> dropped = new EnumMap<>(Drop.Reason.class);
    private volatile double expiryShortBy;
    private final LogRegistry.Alias<DistributionSummary> latency;
    private final Timer delay;
    private final AtomicInteger inFlight = new AtomicInteger();
    private final AtomicInteger lanes = new AtomicInteger();
    private final AtomicInteger lanesOfLog = new AtomicInteger();
    private final AtomicBoolean hasShare = new AtomicBoolean();
    private final Set<Lane> full = ConcurrentHashMap.newKeySet();

    SubscriptionMeters(LogRegistry registry, String subscription) {
        this.registry = registry;
        this.subscription = subscription;
        this.tags = Tags.of("subscription", subscription);
        String failures = "Times an event was settled as failed: to be tried again, or dead";
        done = registry.counterAlias("outbox.done", "Events that were delivered, once that is settled", tags);
        failed = counter("postrider.failed", failures);
        failedAlias = registry.counterAlias("outbox.failed", failures, tags);
        lost = counter(
                "postrider.lanes.lost", "Lanes lost before they settled: what was dispatched may be delivered twice");
        delivered = settled("delivered");
        skipped = settled("skipped");
        dead = settled("dead");
        expired = settled("expired");
        latency = registry.millisAlias(
                "outbox.publish.latency", "From the call of a destination to its answer, in milliseconds", tags);
        delay = registry.timer(
                "postrider.delivery.delay",
                "From the append, or the time an event was wanted, until it was delivered",
                tags);
        for (Drop.Reason reason : Drop.Reason.values()) {
            dropped.put(reason, dropped(reason.name().toLowerCase(Locale.ROOT)));
        }
        gauges();
    }

    private void gauges() {
        registry.gauge(
                "postrider.expiry.short.by",
                "seconds",
                "How much too late the most threatened event would come at the present rate",
                tags,
                this,
                self -> self.expiryShortBy);
        String inHand = "Events that are with a destination now";
        registry.gauge("postrider.inflight", null, inHand, tags, inFlight, AtomicInteger::get);
        registry.gaugeAlias("processing.inflight", null, inHand, tags, inFlight, AtomicInteger::get);
        registry.gauge(
                "postrider.lanes.full",
                null,
                "Lanes of this node that read nothing new, because too much of them waits",
                tags,
                full,
                Set::size);
    }

    private Counter counter(String name, String description) {
        return registry.counter(name, description, tags);
    }

    private Counter settled(String outcome) {
        return registry.counter(
                "postrider.settled", "Events settled, by what they came to", tags.and("outcome", outcome));
    }

    private Counter dropped(String reason) {
        return registry.counter(
                "postrider.dropped", "Events that this node's sweeps have let go", tags.and("reason", reason));
    }

    void began(int events) {
        inFlight.addAndGet(events);
    }

    void answered(int events) {
        inFlight.addAndGet(-events);
    }

    void dispatched(Observation.Dispatched dispatched, String type, Instant now) {
        boolean success = dispatched.outcome().isDelivered();
        types.computeIfAbsent(type, label -> new TypeMeters(registry, subscription, label))
                .dispatched(success, dispatched.took());
        double millis = dispatched.took().toNanos() / (double) TimeUnit.MILLISECONDS.toNanos(1);
        latency.tell(summary -> summary.record(millis));
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
        done.tell(counter -> counter.increment((double) change.delivered()));
        double failures = (double)
                settled.rows().stream().filter(SubscriptionMeters::hasFailed).count();
        failed.increment(failures);
        failedAlias.tell(counter -> counter.increment(failures));
        delivered.increment((double) change.delivered());
        skipped.increment((double) change.skipped());
        dead.increment((double) change.dead());
        expired.increment((double) change.expired());
    }

    /** Others wait behind one that has failed, for their time, or run on. */
    private static boolean hasFailed(Delivery row) {
        return row.status() == Delivery.Status.DEAD
                || (row.status() == Delivery.Status.WAITING && row.attempt() > 0 && row.error() != null);
    }

    /** Shown from the first share on: a task that ends after the removal of its subscription has none to show. */
    void shared(int owned, int of) {
        lanes.set(owned);
        lanesOfLog.set(of);
        if (hasShare.compareAndSet(false, true)) {
            registry.gauge("postrider.lanes.owned", null, "Lanes that this node has", tags, lanes, AtomicInteger::get);
            registry.gauge("postrider.lanes", null, "Lanes that the log has", tags, lanesOfLog, AtomicInteger::get);
        }
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
