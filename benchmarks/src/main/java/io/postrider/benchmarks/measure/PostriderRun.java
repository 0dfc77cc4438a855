package io.postrider.benchmarks.measure;

import io.postrider.Event;
import io.postrider.EventContext;
import io.postrider.Payload;
import io.postrider.Postrider;
import io.postrider.destination.Destination;
import io.postrider.policy.Start;
import io.postrider.store.Store;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
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
    /** What is settled, and nothing of what is pending, which costs more the more there is. */
    private static final String SETTLED = """
            SELECT sum(s.delivered) FROM postrider.lane l CROSS JOIN LATERAL (
                SELECT delivered FROM postrider.settlement s WHERE s.subscription = l.subscription AND s.lane = l.lane
                ORDER BY number DESC LIMIT 1
            ) s WHERE l.subscription = ?
            """;

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
        while (store.prune().prune(KEPT).created() > 0) {}
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
    public static double dispatch(
            Database database, Store<Connection> store, String subscription, int events, Destination destination)
            throws Exception {
        try (Connection looking = database.connection();
                Postrider<Connection> node = Postrider.on(store)) {
            long begin = System.nanoTime();
            node.subscribe(subscription)
                    .from(Start.beginning())
                    .to(Payloads.TYPE, destination)
                    .start();
            awaitSettled(() -> settled(looking, subscription), events, LOOK_SELDOM);
            return events * 1e9 / (System.nanoTime() - begin);
        }
    }

    /** Handled is not yet delivered: without its settlement, an event would come again. */
    public static void awaitSettled(Store<Connection> store, String subscription, long events) throws Exception {
        awaitSettled(() -> store.browse().progress(subscription).counts().delivered(), events, LOOK_EVERY);
    }

    private static void awaitSettled(Settled settled, long events, Duration pause) throws Exception {
        long deadline = System.nanoTime() + SETTLE_WITHIN.toNanos();
        while (settled.events() < events) {
            if (System.nanoTime() > deadline) {
                throw new IllegalStateException("not settled within " + SETTLE_WITHIN + ": " + settled.events());
            }
            TimeUnit.MILLISECONDS.sleep(pause.toMillis());
        }
    }

    private static long settled(Connection connection, String subscription) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(SETTLED)) {
            select.setString(1, subscription);
            try (ResultSet row = select.executeQuery()) {
                row.next();
                return row.getLong(1);
            }
        }
    }

    /** How many events are settled by now. */
    private interface Settled {
        long events() throws Exception;
    }
}
