package io.postrider.observability;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.postrider.Position;
import io.postrider.operate.Browse;
import io.postrider.operate.Delivery;
import io.postrider.operate.Operator;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What only the store knows, as gauges for each of its subscriptions: what is pending, how old it is, what is dead.
 *
 * <p>A thread of its own asks the store now and then, for cursors, settlements and a few delivery rows; the log is
 * never counted, and a scrape never waits for the store. If the store does not answer, gauges keep their last values
 * and {@code postrider.gauges.age} says how old they are.
 *
 * <p>All nodes show the same figures: take the maximum over nodes, not the sum. One instance per store and registry.
 * Thread-safe.
 */
public final class Gauges implements AutoCloseable {
    /** How often the store is asked, unless told otherwise. */
    public static final Duration EVERY = Duration.ofSeconds(5);

    /** Delivery rows that are looked at to find the oldest that waits; the first by position, so rarely the wrong. */
    private static final int ROWS_MAX = 100;

    private static final List<Delivery.Status> WAITING =
            List.of(Delivery.Status.READY, Delivery.Status.WAITING, Delivery.Status.RUNNING);

    private static final Logger LOG = LoggerFactory.getLogger(Gauges.class);

    private final LogRegistry registry;
    private final Browse browse;
    private final InstantSource clock;
    private final Map<String, SubscriptionGauges> shown = new HashMap<>();
    private final Meter age;
    private final Meter openAppendAge;
    private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread daemon = new Thread(task, "postrider-gauges");
        daemon.setDaemon(true);
        return daemon;
    });
    private volatile Instant readAt;
    /** By the store's clock, when it was read. */
    private volatile @Nullable Duration openAppendAtRead;

    private boolean silent;
    private boolean closed;

    Gauges(LogRegistry registry, Browse browse, InstantSource clock) {
        this.registry = registry;
        this.browse = browse;
        this.clock = clock;
        this.readAt = clock.instant();
        this.age = registry.gauge(
                "postrider.gauges.age",
                "seconds",
                "How long ago the store has answered with what its gauges show",
                Tags.empty(),
                this,
                Gauges::age);
        this.openAppendAge = registry.gauge(
                "postrider.open.append.age",
                "seconds",
                "Age of the oldest transaction that has appended and not ended",
                Tags.empty(),
                this,
                Gauges::openAppendAge);
    }

    /** Gauges of all subscriptions of this store, until they are closed. */
    public static Gauges on(MeterRegistry registry, Operator operator) {
        return on(registry, operator, EVERY);
    }

    /** As {@link #on(MeterRegistry, Operator)}, but the store is asked this often. */
    public static Gauges on(MeterRegistry registry, Operator operator, Duration every) {
        return on(registry, operator, every, true);
    }

    /** Without aliases, only the names that begin with {@code postrider}. */
    public static Gauges on(MeterRegistry registry, Operator operator, Duration every, boolean aliases) {
        LogRegistry log = new LogRegistry(registry, operator.log(), aliases);
        Gauges gauges = new Gauges(log, operator.browse(), InstantSource.system());
        gauges.readEvery(every);
        return gauges;
    }

    @SuppressWarnings("FutureReturnValueIgnored") // it ends with its thread, and throws nothing
    private void readEvery(Duration every) {
        thread.scheduleWithFixedDelay(this::read, 0, every.toNanos(), TimeUnit.NANOSECONDS);
    }

    /** Asks the store. Never throws, which would end the schedule. */
    synchronized void read() {
        if (closed) {
            return;
        }
        try {
            List<String> names = browse.subscriptions();
            forgetAllBut(names);
            names.forEach(this::readUnlessRemoved);
            openAppendAtRead = browse.openAppendAge().orElse(null);
            readAt = clock.instant();
            silent = false;
        } catch (RuntimeException e) {
            if (!silent) {
                LOG.warn("The store does not answer; gauges keep their last values until it does: {}", e.toString());
            }
            silent = true;
        }
    }

    /** One that was removed since it was listed is forgotten by the next read. */
    private void readUnlessRemoved(String subscription) {
        try {
            read(subscription);
        } catch (IllegalArgumentException removed) {
            LOG.debug("Gauges leave out a subscription: {}", removed.getMessage());
        }
    }

    private void read(String subscription) {
        Browse.Progress progress = browse.progress(subscription);
        List<Delivery> waiting = progress.counts().parked() > 0 ? waiting(subscription) : List.of();
        shown.computeIfAbsent(subscription, name -> new SubscriptionGauges(registry, name, clock))
                .show(Reading.of(progress, waiting));
    }

    private List<Delivery> waiting(String subscription) {
        List<Delivery> rows = new ArrayList<>();
        for (Delivery.Status status : WAITING) {
            rows.addAll(browse.deliveries(subscription, status, Position.ZERO, ROWS_MAX));
        }
        return rows;
    }

    private void forgetAllBut(List<String> names) {
        shown.entrySet().removeIf(entry -> {
            boolean gone = !names.contains(entry.getKey());
            if (gone) {
                entry.getValue().remove();
            }
            return gone;
        });
    }

    private double age() {
        return Duration.between(readAt, clock.instant()).toMillis() / 1_000.0;
    }

    /** The store's age of it, and what has passed here since: the clocks of the two are never compared. */
    private double openAppendAge() {
        Duration atRead = openAppendAtRead;
        return atRead == null ? 0 : atRead.toMillis() / 1_000.0 + Math.max(0, age());
    }

    /** Asks no more, and takes the gauges away: nobody would keep them true. */
    @Override
    public void close() {
        thread.shutdownNow();
        synchronized (this) {
            closed = true;
            forgetAllBut(List.of());
            registry.remove(List.of(age, openAppendAge));
        }
    }
}
