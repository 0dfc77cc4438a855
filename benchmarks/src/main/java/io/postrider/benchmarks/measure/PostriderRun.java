package io.postrider.benchmarks.measure;

import io.postrider.Event;
import io.postrider.EventContext;
import io.postrider.Payload;
import io.postrider.Postrider;
import io.postrider.Start;
import io.postrider.spi.Destination;
import io.postrider.spi.Store;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongFunction;

/** Appends to a log and drains it with a subscription, in the default configuration. */
public final class PostriderRun {
    private static final int FILL_BATCH = 1_000;
    private static final Duration KEPT = Duration.ofDays(7);
    private static final Duration SETTLE_WITHIN = Duration.ofMinutes(1);
    private static final Duration LOOK_EVERY = Duration.ofMillis(1);
    /** Where nothing else says that the end is near, looking must not be what the database is busy with. */
    private static final Duration LOOK_SELDOM = Duration.ofMillis(25);

    private PostriderRun() {}

    public static void fill(Store<Connection> store, int events, LongFunction<String> keys) throws Exception {
        try (Postrider<Connection> node = Postrider.on(store)) {
            for (int from = 0; from < events; from += FILL_BATCH) {
                List<Event> batch = new ArrayList<>(FILL_BATCH);
                for (int i = from; i < Math.min(events, from + FILL_BATCH); i++) {
                    batch.add(Event.of(Payloads.TYPE, Payload.json(Payloads.get(i)))
                            .key(keys.apply(i)));
                }
                node.transaction(transaction -> node.outbox().append(transaction, batch));
            }
        }
        prepareSearch(store);
    }

    /** Makes the search indexes of closed segments now: otherwise a node makes them while it is measured. */
    public static void prepareSearch(Store<Connection> store) {
        while (store.prune(KEPT).created() > 0) {}
    }

    /** Begins before the subscription is registered and ends when the last event is settled; the rate per second. */
    public static double drain(
            Store<Connection> store, String subscription, Start start, int events, Consumer<EventContext> work)
            throws Exception {
        Backlog backlog = new Backlog(events);
        try (Postrider<Connection> node = Postrider.on(store)) {
            long begin = System.nanoTime();
            node.subscribe(subscription)
                    .from(start)
                    .on(Payloads.TYPE, (payload, context) -> backlog.handled(() -> work.accept(context)))
                    .start();
            backlog.await();
            awaitSettled(store, subscription, events);
            return backlog.rateSince(begin);
        }
    }

    /** The same to a destination. */
    public static double dispatch(Store<Connection> store, String subscription, int events, Destination destination)
            throws Exception {
        try (Postrider<Connection> node = Postrider.on(store)) {
            long begin = System.nanoTime();
            node.subscribe(subscription)
                    .from(Start.beginning())
                    .to(Payloads.TYPE, destination)
                    .start();
            awaitSettled(store, subscription, events, LOOK_SELDOM);
            return events * 1e9 / (System.nanoTime() - begin);
        }
    }

    /** Handled is not yet delivered: without its settlement, an event would come again. */
    public static void awaitSettled(Store<Connection> store, String subscription, long events)
            throws InterruptedException {
        awaitSettled(store, subscription, events, LOOK_EVERY);
    }

    private static void awaitSettled(Store<Connection> store, String subscription, long events, Duration pause)
            throws InterruptedException {
        long deadline = System.nanoTime() + SETTLE_WITHIN.toNanos();
        while (store.progress(subscription).counts().delivered() < events) {
            if (System.nanoTime() > deadline) {
                throw new IllegalStateException("not settled within " + SETTLE_WITHIN + ": "
                        + store.progress(subscription).counts());
            }
            TimeUnit.MILLISECONDS.sleep(pause.toMillis());
        }
    }
}
