package io.postrider.engine.receive;

import io.postrider.Environment;
import io.postrider.Inbox;
import io.postrider.ReceiveOptions;
import io.postrider.Receiving;
import io.postrider.StoredEvent;
import io.postrider.destination.Outcome;
import io.postrider.destination.Source;
import io.postrider.destination.SourceException;
import io.postrider.engine.base.MissingThreads;
import io.postrider.engine.base.Pauses;
import io.postrider.store.StoreException;
import io.postrider.text.Failure;
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
import org.slf4j.LoggerFactory;

/**
 * From a source to handlers, with no inbox between: a message is acknowledged when its effect has been committed, comes
 * again after a pause when its handler fails, and is set aside when that is of no use. Messages of one key that are in
 * hand are handled one after the other; one that comes again comes later than they. While the store does not answer,
 * what is in hand waits, and no attempt is counted. Thread-safe.
 *
 * @param <T> the store's transaction handle
 */
public final class ConsumeRun<T> implements Receiving {
    private static final Logger LOG = LoggerFactory.getLogger(ConsumeRun.class);

    private final Source source;
    private final Consumption<T> consumption;
    private final Intake inbox;
    private final ReceiveOptions options;
    private final Bounds bounds;
    private final Environment environment;
    private final GivingUp givingUp;
    private final Puller puller;
    private final Map<Object, Deque<Task>> byKey = new HashMap<>();
    private final Deque<Task> ready = new ArrayDeque<>();
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
        this.givingUp = new GivingUp(consumption, source.name(), inbox, bounds.payloadBytes(), options.backoffMax());
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
        List<Task> tasks =
                arrivals.stream().map(arrival -> new Task(arrival, place)).toList();
        synchronized (this) {
            inHand += tasks.size();
            for (Task task : tasks) {
                Deque<Task> sameKey = byKey.computeIfAbsent(task.key, key -> new ArrayDeque<>());
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
        for (Task task = next(); task != null; task = next()) {
            runHere(task);
        }
        endIfDone();
    }

    private void runHere(Task task) {
        task.begin(Thread.currentThread());
        boolean over = run(task);
        task.end();
        if (over) {
            finished(task);
        } else {
            environment.schedule(task.pauses.next(), () -> again(task));
        }
    }

    private synchronized @Nullable Task next() {
        Task task = ready.poll();
        workers -= task == null ? 1 : 0;
        return task;
    }

    private synchronized void again(Task task) {
        ready.addFirst(task);
        join();
    }

    private void finished(Task task) {
        synchronized (this) {
            inHand--;
            Deque<Task> sameKey = Objects.requireNonNull(byKey.get(task.key));
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
    private boolean run(Task task) {
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

    private void giveBack(Task task) {
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

    private boolean waits(Task task, StoreException failure) {
        boolean first;
        synchronized (this) {
            first = waiting == null;
            waiting = String.valueOf(failure.getMessage());
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

    private void handle(Task task) {
        Incoming message = task.message;
        if (message == null) {
            countAside(givingUp.undecodable(task.arrival, Objects.requireNonNull(task.failure)));
            return;
        }
        StoredEvent event;
        try {
            event = Consumption.event(source.name(), message, environment.now());
        } catch (IllegalArgumentException e) { // what a log would refuse, such as one header too many
            countAside(givingUp.event(Inbox.UNDECODABLE, task.arrival, message, String.valueOf(e.getMessage())));
            return;
        }
        handle(task, message, event);
    }

    private void handle(Task task, Incoming message, StoredEvent event) {
        var handler = consumption.handler(event.type()).orElse(null);
        Consumption.Answer answer = handler == null
                ? Consumption.Answer.SKIPPED
                : consumption.handle(handler, event, task.arrival.attempt());
        Outcome outcome = answer.outcome();
        if (outcome instanceof Outcome.Retry) {
            task.arrival.nak(consumption.retry().pause(task.arrival.attempt(), environment.random()));
        } else if (outcome instanceof Outcome.Dead dead) {
            countAside(givingUp.event(Inbox.POISON, task.arrival, message, dead.why()));
        } else {
            task.arrival.ack();
            count(answer.repeated() ? 1 : 0, 0);
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
        List<Task> tasks = new ArrayList<>();
        synchronized (this) {
            beating = false;
            byKey.values().forEach(tasks::addAll);
        }
        tasks.forEach(Task::working);
        if (!tasks.isEmpty()) {
            beat();
        }
    }

    /** The same consumer of another source reads other places. */
    private String reader() {
        return consumption.name() + " of " + source.name();
    }

    /** A message in hand. */
    private final class Task {
        final Source.Arrival arrival;
        final PullPlace place;
        final @Nullable Incoming message;
        final @Nullable RuntimeException failure;
        final Object key;
        final Pauses pauses = new Pauses(options.backoff(), options.backoffMax());
        private @Nullable Thread worker;
        private long startedNanos;
        private boolean over;

        Task(Source.Arrival arrival, PullPlace place) {
            this.arrival = arrival;
            this.place = place;
            Incoming decoded = null;
            RuntimeException undecoded = null;
            try {
                decoded = arrival.incoming();
            } catch (RuntimeException e) {
                undecoded = e;
            } catch (Throwable e) { // memory or a class is missing, which is not the message's doing
                Throwable told = Failure.tellable(e);
                undecoded =
                        new SourceException("a message of '" + source.name() + "' could not be decoded: " + told, told);
            }
            this.message = decoded;
            this.failure = undecoded;
            String own = decoded == null ? null : decoded.event().key();
            this.key = own != null ? own : this;
        }

        synchronized void begin(Thread thread) {
            worker = thread;
            startedNanos = environment.nanos();
        }

        synchronized void end() {
            worker = null;
            Thread.interrupted(); // what was meant for this message is not for the next
        }

        /** A handler that takes too long is interrupted once, and its message comes again when its source says so. */
        synchronized void working() {
            if (over) {
                return;
            }
            arrival.working();
            Thread thread = worker;
            if (thread != null
                    && environment.nanos() - startedNanos
                            > bounds.handlerTimeout().toNanos()) {
                over = true;
                thread.interrupt();
            }
        }
    }
}
