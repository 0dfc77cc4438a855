package io.postrider.engine.receive;

import io.postrider.Environment;
import io.postrider.Inbox;
import io.postrider.ReceiveOptions;
import io.postrider.Receiving;
import io.postrider.StoredEvent;
import io.postrider.destination.Outcome;
import io.postrider.destination.Source;
import io.postrider.engine.base.MissingThreads;
import io.postrider.store.StoreException;
import io.postrider.text.Failure;
import io.postrider.text.Logs;
import io.postrider.wire.Incoming;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * From a source to handlers, with no inbox between: a message is acknowledged when its effect has been committed, comes
 * again after a pause when its handler fails, and is set aside when that is of no use. Messages of one key that are in
 * hand are handled one after the other; one that comes again comes later than they. While the store does not answer,
 * what is in hand waits, and no attempt is counted. Thread-safe.
 *
 * @param <T> the store's transaction handle
 */
public final class ConsumeRun<T> implements Receiving {
    private static final Logger LOG = Logs.of(ConsumeRun.class);

    private final Source source;
    private final Consumption<T> consumption;
    private final Intake inbox;
    private final ReceiveOptions options;
    private final Bounds bounds;
    private final Environment environment;
    private final SettingAside settingAside;
    private final Puller puller;
    private final Map<Object, Deque<MessageInHand>> byKey = new HashMap<>();
    private final Deque<MessageInHand> ready = new ArrayDeque<>();
    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    private final MissingThreads threads;
    private int inHand;
    private int workers;
    private boolean pullEnded;
    private boolean stopping;
    private boolean beating;
    private @Nullable String waiting;
    private long done;
    private long repeated;
    private long setAside;

    /**
     * What one message may take.
     *
     * @param handlerTimeout how long the source is told that a handler works; after that, the handler is interrupted
     * @param processedFor how long it is remembered that a message was handled
     */
    public record Bounds(int payloadBytes, Duration handlerTimeout, Duration processedFor) {}

    public ConsumeRun(Source source, Consumption<T> consumption, Intake inbox, ReceiveOptions options, Bounds bounds) {
        this.source = source;
        this.consumption = consumption;
        this.inbox = inbox;
        this.options = options;
        this.bounds = bounds;
        this.environment = consumption.environment();
        this.settingAside =
                new SettingAside(consumption, source.name(), inbox, bounds.payloadBytes(), options.backoffMax());
        this.threads = new MissingThreads("consumer '" + consumption.name() + "'");
        this.puller = new Puller(
                source, options, environment, consumption.transactions().observers(), this::room, this::taken);
    }

    public void start() {
        SourceMemory.give(
                source,
                reader(),
                inbox,
                bounds.processedFor(),
                consumption.transactions().observers());
        puller.pull();
    }

    @Override
    public synchronized Status status() {
        return new Status(source.name(), puller.down(), waiting, done, repeated, setAside, inHand);
    }

    @Override
    public CompletableFuture<Void> stop() {
        synchronized (this) {
            stopping = true;
        }
        puller.stop(() -> {
            synchronized (this) {
                pullEnded = true;
            }
            endIfDone();
        });
        return ended;
    }

    private void endIfDone() {
        boolean over;
        synchronized (this) {
            over = pullEnded && inHand == 0;
        }
        if (over) {
            ended.complete(null);
        }
    }

    private synchronized int room() {
        return options.inFlight() - inHand;
    }

    // ---- tasks ------------------------------------------------------------------------------------------------------

    private void taken(List<Source.Arrival> arrivals) {
        PullPlace place = new PullPlace(inbox, reader(), SourceMemory.newest(arrivals));
        List<MessageInHand> tasks = arrivals.stream()
                .map(arrival -> new MessageInHand(arrival, place, source.name(), options, environment))
                .toList();
        synchronized (this) {
            inHand += tasks.size();
            for (MessageInHand task : tasks) {
                Deque<MessageInHand> sameKey = byKey.computeIfAbsent(task.key, key -> new ArrayDeque<>());
                sameKey.add(task);
                if (sameKey.size() == 1) {
                    ready.add(task);
                }
            }
            join();
        }
        beat();
    }

    private synchronized void join() {
        int wanted = Math.min(options.concurrency() - workers, ready.size());
        for (int worker = 0; worker < wanted; worker++) {
            try {
                environment.handlers().execute(this::work);
                workers++;
            } catch (Throwable e) {
                threads.missing(e);
                environment.schedule(options.backoff(), this::join);
                return;
            }
        }
    }

    private void work() {
        threads.found();
        for (MessageInHand task = next(); task != null; task = next()) {
            runHere(task);
        }
        endIfDone();
    }

    private void runHere(MessageInHand task) {
        task.begin();
        boolean over = run(task);
        task.end();
        if (over) {
            finished(task);
        } else {
            environment.schedule(task.pauses.next(), () -> again(task));
        }
    }

    private synchronized @Nullable MessageInHand next() {
        MessageInHand task = ready.poll();
        workers -= task == null ? 1 : 0;
        return task;
    }

    private synchronized void again(MessageInHand task) {
        ready.addFirst(task);
        join();
    }

    private void finished(MessageInHand task) {
        synchronized (this) {
            inHand--;
            Deque<MessageInHand> sameKey = Objects.requireNonNull(byKey.get(task.key));
            sameKey.remove();
            if (sameKey.isEmpty()) {
                byKey.remove(task.key);
            } else {
                ready.add(sameKey.element());
            }
        }
        puller.pull();
    }

    // ---- one message ------------------------------------------------------------------------------------------------

    /** False if it is to be tried again here, because the store does not answer. */
    private boolean run(MessageInHand task) {
        try {
            task.place.keep();
            handle(task);
            synchronized (this) {
                waiting = null;
            }
            return true;
        } catch (StoreException e) {
            return !waits(task, e);
        } catch (Throwable e) {
            LOG.error(
                    "Consumer '{}' failed unexpectedly over a message; it comes again",
                    consumption.name(),
                    Failure.tellable(e));
            giveBack(task);
            return true;
        }
    }

    private void giveBack(MessageInHand task) {
        try {
            task.arrival.nak(options.backoffMax());
        } catch (Throwable e) {
            LOG.error(
                    "A message of '{}' could not be returned; its source gives it again on its own, when it no longer"
                            + " waits for an answer",
                    source.name(),
                    Failure.tellable(e));
        }
    }

    private boolean waits(MessageInHand task, StoreException failure) {
        boolean first;
        synchronized (this) {
            first = waiting == null;
            waiting = Failure.message(failure);
            if (stopping) {
                task.arrival.nak(options.backoff());
                return false;
            }
        }
        if (first) {
            LOG.warn(
                    "Consumer '{}' waits for the store; nothing is acknowledged",
                    consumption.name(),
                    Failure.tellable(failure));
        }
        return true;
    }

    private void handle(MessageInHand task) {
        Incoming message = task.message;
        if (message == null) {
            countAside(settingAside.undecodable(task.arrival, Objects.requireNonNull(task.failure)));
            return;
        }
        StoredEvent event;
        try {
            event = Consumption.event(source.name(), message, environment.now());
        } catch (IllegalArgumentException e) { // what a log would refuse, such as one header too many
            countAside(settingAside.event(Inbox.UNDECODABLE, task.arrival, message, String.valueOf(e.getMessage())));
            return;
        }
        handle(task, message, event);
    }

    private void handle(MessageInHand task, Incoming message, StoredEvent event) {
        var handler = consumption.handler(event.type()).orElse(null);
        Consumption.Handled answer = handler == null
                ? Consumption.Handled.SKIPPED
                : consumption.handle(handler, event, task.arrival.attempt());
        answer.outcome().match(new Answering(task, message, answer.repeated()));
    }

    /** The answer to a message's source, for each outcome of its handler. */
    private final class Answering implements Outcome.Cases<MessageInHand> {
        private final MessageInHand task;
        private final Incoming message;
        private final boolean repeated;

        Answering(MessageInHand task, Incoming message, boolean repeated) {
            this.task = task;
            this.message = message;
            this.repeated = repeated;
        }

        @Override
        public MessageInHand delivered(Outcome.Delivered outcome) {
            return acknowledge();
        }

        @Override
        public MessageInHand skipped(Outcome.Skipped outcome) {
            return acknowledge();
        }

        @Override
        public MessageInHand expired(Outcome.Expired outcome) {
            return acknowledge();
        }

        @Override
        public MessageInHand retry(Outcome.Retry outcome) {
            return comesAgain();
        }

        @Override
        public MessageInHand down(Outcome.Down outcome) {
            return comesAgain();
        }

        @Override
        public MessageInHand dead(Outcome.Dead outcome) {
            countAside(settingAside.event(Inbox.POISON, task.arrival, message, outcome.why()));
            return task;
        }

        private MessageInHand acknowledge() {
            task.arrival.ack();
            count(repeated ? 1 : 0, 0);
            return task;
        }

        private MessageInHand comesAgain() {
            task.arrival.nak(consumption.retry().pause(task.arrival.attempt(), environment.random()));
            return task;
        }
    }

    private void countAside(boolean kept) {
        if (kept) {
            count(0, 1);
        }
    }

    private synchronized void count(int again, int aside) {
        done++;
        repeated += again;
        setAside += aside;
    }

    // ---- heartbeats -------------------------------------------------------------------------------------------------

    private void beat() {
        synchronized (this) {
            if (beating) {
                return;
            }
            beating = true;
        }
        environment.schedule(options.heartbeat(), this::onBeat);
    }

    private void onBeat() {
        List<MessageInHand> tasks = new ArrayList<>();
        synchronized (this) {
            beating = false;
            byKey.values().forEach(tasks::addAll);
        }
        tasks.forEach(task -> task.working(bounds.handlerTimeout()));
        if (!tasks.isEmpty()) {
            beat();
        }
    }

    /** The same consumer of another source reads other places. */
    private String reader() {
        return consumption.name() + " of " + source.name();
    }
}
