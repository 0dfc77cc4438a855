package io.postrider.engine.receive;

import io.postrider.Environment;
import io.postrider.Inbox;
import io.postrider.ReceiveOptions;
import io.postrider.Receiving;
import io.postrider.destination.Source;
import io.postrider.destination.SourceException;
import io.postrider.engine.base.MissingThreads;
import io.postrider.engine.base.Observers;
import io.postrider.engine.base.Pauses;
import io.postrider.policy.NodeLimits;
import io.postrider.text.Failure;
import io.postrider.text.Logs;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * From a source into the inbox: pull, store, commit, acknowledge. While one pull is stored, the next is under way and
 * decoded; they are stored in the order they were pulled. While the store does not answer, what is in hand is kept and
 * nothing is acknowledged. Thread-safe.
 */
public final class ReceiveRun implements Receiving {
    private static final Logger LOG = Logs.of(ReceiveRun.class);

    private final Source source;
    private final Intake inbox;
    private final ReceiveOptions options;
    private final NodeLimits limits;
    private final Environment environment;
    private final Observers observers;
    private final Puller puller;
    private final Pauses pauses;
    private final MissingThreads threads;
    private final Deque<ReceiveBatch> inHand = new ArrayDeque<>();
    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    private int messages;
    private boolean storing;
    private boolean pullEnded;
    private boolean stopping;
    /** Used by {@link #store} alone, of which there is one at a time. */
    private boolean givesBack;

    private @Nullable String waiting;
    private long done;
    private long repeated;
    private long setAside;

    public ReceiveRun(
            Source source,
            Intake inbox,
            ReceiveOptions options,
            NodeLimits limits,
            Environment environment,
            Observers observers) {
        this.source = source;
        this.inbox = inbox;
        this.options = options;
        this.limits = limits;
        this.environment = environment;
        this.observers = observers;
        this.puller = new Puller(source, options, environment, observers, this::room, this::taken);
        this.pauses = new Pauses(options.backoff(), options.backoffMax());
        this.threads = new MissingThreads("messages of source '" + source.name() + "'");
    }

    public void start() {
        SourceMemory.give(source, source.name(), inbox, limits.receivedFor(), observers);
        puller.pull();
    }

    @Override
    public synchronized Status status() {
        return new Status(source.name(), puller.down(), waiting, done, repeated, setAside, messages);
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
        boolean done;
        synchronized (this) {
            done = pullEnded && !storing && inHand.isEmpty();
        }
        if (done) {
            ended.complete(null);
        }
    }

    // ---- pull -------------------------------------------------------------------------------------------------------

    /** None where there is little: small pulls become small transactions, which leave room for small pulls. */
    private synchronized int room() {
        int room = options.inFlight() - messages;
        return room < options.most() / 2 ? 0 : room;
    }

    /** On the thread that pulls, so that these are decoded while those before them are stored. */
    private void taken(List<Source.Arrival> arrivals) {
        ReceiveBatch batch = new ReceiveBatch(source.name(), limits.payloadBytes(), environment, observers);
        int decoded = 0;
        try {
            for (Source.Arrival arrival : arrivals) {
                batch.add(arrival);
                decoded++;
            }
        } catch (Throwable e) {
            // A message that is returned takes the later ones of its pull with it, and nothing is pulled for a while:
            // otherwise later messages of its key would be stored before it.
            arrivals.subList(decoded, arrivals.size()).forEach(arrival -> arrival.nak(Duration.ZERO));
            Throwable told = Failure.tellable(e);
            throw new SourceException(
                    "a message of '" + source.name() + "' could not be decoded for a reason that is not in the message;"
                            + " this one and those behind it come again: " + told,
                    told);
        } finally {
            if (batch.size() > 0) {
                keepInHand(batch);
            }
        }
    }

    private synchronized void keepInHand(ReceiveBatch batch) {
        inHand.add(batch);
        messages += batch.size();
        if (!storing) {
            storing = true;
            store(Duration.ZERO);
        }
    }

    /** Stores on a thread of its own; where there is none, after a pause. */
    private void store(Duration after) {
        if (!after.isZero()) {
            environment.schedule(after, () -> store(Duration.ZERO));
            return;
        }
        try {
            environment.handlers().execute(this::store);
        } catch (Throwable e) {
            threads.missing(e);
            store(pauses.next());
        }
    }

    // ---- store ------------------------------------------------------------------------------------------------------

    private void store() {
        threads.found();
        for (ReceiveBatch next = next(); next != null; next = next()) {
            try {
                keepOrGiveBack(next);
            } catch (Throwable e) {
                if (failed(Failure.tellable(e))) {
                    store(pauses.next());
                    return;
                }
                givesBack = true;
                giveBack(next);
            }
            finished(next);
        }
        endIfDone();
    }

    private synchronized @Nullable ReceiveBatch next() {
        ReceiveBatch next = inHand.peek();
        storing = next != null;
        return next;
    }

    /** Once a batch was returned to the source, later ones are returned too: storing them would reorder messages. */
    private void keepOrGiveBack(ReceiveBatch batch) {
        if (givesBack) {
            batch.giveBack(options.backoff());
        } else {
            keep(batch);
        }
    }

    private void keep(ReceiveBatch batch) {
        Inbox.Received received = batch.store(inbox);
        batch.acknowledge(options.backoffMax());
        synchronized (this) {
            waiting = null;
            done += batch.kept();
            repeated += received.repeated();
            setAside += batch.setAside();
        }
        pauses.reset();
    }

    private void giveBack(ReceiveBatch batch) {
        try {
            batch.giveBack(options.backoff());
        } catch (Throwable e) {
            LOG.error(
                    "Messages of '{}' could not be returned; their source gives them again on its own, when it no"
                            + " longer waits for an answer",
                    source.name(),
                    Failure.tellable(e));
        }
    }

    /** Whether to try again: a stop gives back what cannot be stored. */
    private synchronized boolean failed(Throwable failure) {
        if (waiting == null) {
            LOG.warn(
                    "Messages of '{}' cannot be stored; they are not acknowledged, and are tried again until the store"
                            + " takes them",
                    source.name(),
                    failure);
        }
        waiting = Failure.message(failure);
        return !stopping;
    }

    private void finished(ReceiveBatch batch) {
        synchronized (this) {
            inHand.remove();
            messages -= batch.size();
        }
        puller.pull();
    }
}
