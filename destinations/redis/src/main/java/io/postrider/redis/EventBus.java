package io.postrider.redis;

import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.postrider.redis.BusRoutes.Route;
import io.postrider.redis.BusRoutes.Subscriber;
import io.postrider.text.Failure;
import io.postrider.text.TypePattern;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The listening side of {@link RedisBus}: calls handlers with the events that come through channels.
 *
 * <p><b>Each event is handled at most once.</b> Redis keeps nothing, so an event is missed for good while this bus is
 * not connected, when more than {@code queuedMax} events wait for handlers, or when a handler throws. All three are
 * logged and counted. Who must not miss anything takes a subscription on the log, or Redis Streams.
 *
 * <p>Events of one key are handled one after the other, in the order in which they came. A lost connection is made
 * anew, and the listeners of {@link #onGap} are told of the time between. Thread-safe.
 */
public final class EventBus implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(EventBus.class);

    private final EventBusConfig config;
    private final Link<StatefulRedisPubSubConnection<String, byte[]>> link;
    private final BusRoutes routes = new BusRoutes();
    private final BusWorkers workers;
    private final BusTally tally = new BusTally();
    private final List<Consumer<Gap>> listeners = new CopyOnWriteArrayList<>();
    private final AtomicBoolean full = new AtomicBoolean();
    private final ScheduledExecutorService keeper =
            Executors.newSingleThreadScheduledExecutor(work -> BusWorkers.daemon(work, "postrider-bus-keeper"));
    private Instant lastAnswer = Instant.now();
    private boolean connectedBefore;
    private boolean away;
    private volatile boolean listening;

    /** A time in which events may have been missed. */
    public record Gap(Instant from, Instant to, String why) {}

    /** What was subscribed. Its close ends that, and may be repeated. */
    public interface Subscription extends AutoCloseable {
        @Override
        void close();
    }

    private EventBus(RedisConfig redis, EventBusConfig config) {
        this.config = config;
        this.link = Link.listening(redis);
        this.workers = new BusWorkers(config.workers(), config.queuedMax());
    }

    public static EventBus open(RedisConfig redis) {
        return open(redis, EventBusConfig.defaults());
    }

    /**
     * Connects. If the server is not there, the bus goes on trying.
     *
     * @throws IllegalArgumentException if the server refuses the login
     */
    public static EventBus open(RedisConfig redis, EventBusConfig config) {
        EventBus bus = new EventBus(redis, config);
        try {
            bus.link.start(connection -> CompletableFuture.completedStage(null));
        } catch (IllegalArgumentException e) {
            bus.close();
            throw e;
        }
        bus.link.onCutOff(why -> bus.soon(bus::keep));
        bus.keepFirst();
        long heartbeat = config.heartbeat().toMillis();
        var unused = bus.keeper.scheduleWithFixedDelay(bus::keep, heartbeat, heartbeat, TimeUnit.MILLISECONDS);
        return bus;
    }

    /** Is told each time events may have been missed, on a thread of the bus. */
    public void onGap(Consumer<Gap> listener) {
        listeners.add(listener);
    }

    /** Whether it hears what comes at present, as far as it knows. */
    public boolean isListening() {
        return listening && link.current() != null;
    }

    public BusCounts counts() {
        return tally.counts();
    }

    /**
     * Calls this handler for events that come from now on.
     *
     * @param type a type, or a pattern in which {@code *} stands for anything but a dot and {@code **} for anything
     * @throws IllegalArgumentException if the server does not let us listen to it
     */
    public Subscription subscribe(String type, BusHandler handler) {
        Subscriber subscriber = Subscriber.of(new TypePattern(type), handler);
        synchronized (this) {
            StatefulRedisPubSubConnection<String, byte[]> connection = link.current();
            if (routes.add(subscriber) && connection != null) {
                subscribeNow(connection, subscriber);
            }
        }
        AtomicBoolean ended = new AtomicBoolean();
        return () -> {
            if (!ended.getAndSet(true)) {
                end(subscriber);
            }
        };
    }

    private void subscribeNow(StatefulRedisPubSubConnection<String, byte[]> connection, Subscriber subscriber) {
        try {
            subscribe(connection, subscriber.route());
        } catch (CompletionException e) {
            if (Refusals.is(e, "NOPERM")) {
                routes.remove(subscriber);
                throw new IllegalArgumentException(
                        "cannot listen to " + subscriber.route().channel() + ": " + Refusals.words(e), e);
            }
            link.cutOff(connection, Refusals.words(e)); // subscribed with the next connection
        }
    }

    private void subscribe(StatefulRedisPubSubConnection<String, byte[]> connection, Route route) {
        var redis = connection.async();
        link.within(route.isPattern() ? redis.psubscribe(route.channel()) : redis.subscribe(route.channel()))
                .join();
    }

    private synchronized void end(Subscriber subscriber) {
        StatefulRedisPubSubConnection<String, byte[]> connection = link.current();
        if (routes.remove(subscriber) && connection != null) {
            Route route = subscriber.route();
            var redis = connection.async();
            var unused = route.isPattern() ? redis.punsubscribe(route.channel()) : redis.unsubscribe(route.channel());
        }
    }

    // ---- the connection ---------------------------------------------------------------------------------------------

    private void soon(Runnable work) {
        try {
            keeper.execute(work);
        } catch (RejectedExecutionException e) {
            LOG.debug("The bus is closed");
        }
    }

    private synchronized void keepFirst() {
        away = link.current() == null;
        if (!away) {
            keep();
        }
    }

    /** Tries the connection, and makes a new one if it is lost. */
    private synchronized void keep() {
        if (keeper.isShutdown()) {
            return;
        }
        try {
            StatefulRedisPubSubConnection<String, byte[]> connection = link.current();
            if (connection == null || !connectedBefore) {
                listen(link.connect().toCompletableFuture().join());
            } else {
                link.checked(connection, link.within(connection.async().ping()).thenAccept(pong -> {}))
                        .toCompletableFuture()
                        .join();
            }
            lastAnswer = Instant.now();
        } catch (CompletionException e) {
            if (!away) {
                LOG.warn("The bus hears nothing, and tries again every {}: {}", config.heartbeat(), Refusals.words(e));
            }
            away = true;
        }
    }

    private void listen(StatefulRedisPubSubConnection<String, byte[]> connection) {
        listening = false;
        connection.addListener(new Ear());
        try {
            routes.routes().forEach(route -> subscribe(connection, route));
        } catch (CompletionException e) {
            link.cutOff(connection, Refusals.words(e));
            throw e;
        }
        if (connectedBefore || away) {
            Gap gap = new Gap(lastAnswer, Instant.now(), "not connected to Redis at " + link.address());
            soon(() -> missed(gap));
        }
        connectedBefore = true;
        away = false;
        listening = true;
    }

    private void missed(Gap gap) {
        tally.gaps.increment();
        LOG.warn("Events from {} to {} may have been missed: {}", gap.from(), gap.to(), gap.why());
        for (Consumer<Gap> listener : listeners) {
            try {
                listener.accept(gap);
            } catch (Throwable e) { // whatever it is, the others are to be told
                LOG.warn("A listener for gaps failed; the bus goes on, and the others are told", Failure.tellable(e));
            }
        }
    }

    // ---- messages ---------------------------------------------------------------------------------------------------

    private final class Ear extends RedisPubSubAdapter<String, byte[]> {
        @Override
        public void message(String channel, byte[] message) {
            take(new Route(channel, false), channel, message);
        }

        @Override
        public void message(String pattern, String channel, byte[] message) {
            take(new Route(pattern, true), channel, message);
        }
    }

    private void take(Route route, String channel, byte[] message) {
        tally.received.increment();
        BusEvent event;
        try {
            event = BusMessage.read(message);
        } catch (IllegalArgumentException e) {
            tally.unreadable.increment();
            LOG.warn("A message of channel {} was skipped: {}", channel, e.getMessage());
            return;
        }
        List<BusHandler> handlers = routes.handlers(route, channel);
        if (workers.offer(event.orderKey(), () -> handle(event, handlers))) {
            full.compareAndSet(true, !workers.isRoomy());
        } else {
            drop();
        }
    }

    private void drop() {
        tally.dropped.increment();
        if (!full.getAndSet(true)) {
            Instant now = Instant.now();
            String why = "more than queuedMax, " + config.queuedMax() + " events, wait for handlers";
            soon(() -> missed(new Gap(now, now, why)));
        }
    }

    private void handle(BusEvent event, List<BusHandler> handlers) {
        for (BusHandler handler : handlers) {
            try {
                handler.handle(event);
                tally.handled.increment();
            } catch (Throwable e) { // whatever it is, the others are to be called
                tally.failed.increment();
                LOG.warn(
                        "A handler failed, and event {} ({}) is lost to it",
                        event.eventId(),
                        event.eventType(),
                        Failure.tellable(e));
                if (e instanceof InterruptedException) {
                    Thread.currentThread().interrupt();
                }
            }
        }
    }

    @Override
    public void close() {
        keeper.shutdownNow();
        link.close();
        workers.close(config.closeWithin());
    }
}
