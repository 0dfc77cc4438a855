package io.postrider.engine;

import io.postrider.Inbox;
import io.postrider.Observation;
import io.postrider.ReceiveOptions;
import io.postrider.Receiving;
import io.postrider.spi.Environment;
import io.postrider.spi.Source;
import io.postrider.wire.Incoming;
import io.postrider.wire.UndecodableException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * From a source into the inbox: pull, store, commit, acknowledge. While one pull is stored, the next is under way; they
 * are stored in the order they were pulled. While the store does not answer, what is in hand is kept and nothing is
 * acknowledged. Thread-safe.
 */
public final class ReceiveRun implements Receiving {
    private static final Logger LOG = LoggerFactory.getLogger(ReceiveRun.class);

    private final Source source;
    private final Inbox inbox;
    private final ReceiveOptions options;
    private final int payloadBytes;
    private final Environment environment;
    private final Observers observers;
    private final Puller puller;
    private final Pauses pauses;
    private final Deque<List<Source.Arrival>> inHand = new ArrayDeque<>();
    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    private int messages;
    private boolean storing;
    private boolean pullEnded;
    private boolean stopping;
    private @Nullable String waiting;
    private long done;
    private long repeated;
    private long setAside;

    public ReceiveRun(
            Source source,
            Inbox inbox,
            ReceiveOptions options,
            int payloadBytes,
            Environment environment,
            Observers observers) {
        this.source = source;
        this.inbox = inbox;
        this.options = options;
        this.payloadBytes = payloadBytes;
        this.environment = environment;
        this.observers = observers;
        this.puller = new Puller(source, options, environment, observers, this::room, this::taken);
        this.pauses = new Pauses(options.backoff(), options.backoffMax());
    }

    public void start() {
        puller.pull();
    }

    @Override
    public Status status() {
        // Not under our lock: the puller asks for room under its own.
        String down = puller.down();
        synchronized (this) {
            return new Status(source.name(), down, waiting, done, repeated, setAside, messages);
        }
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

    private synchronized int room() {
        return options.inFlight() - messages;
    }

    private synchronized void taken(List<Source.Arrival> arrivals) {
        inHand.add(arrivals);
        messages += arrivals.size();
        if (!storing) {
            storing = true;
            environment.handlers().execute(this::store);
        }
    }

    // ---- store ------------------------------------------------------------------------------------------------------

    private void store() {
        for (List<Source.Arrival> next = next(); next != null; next = next()) {
            try {
                keep(next);
            } catch (RuntimeException e) {
                if (failed(e)) {
                    environment.schedule(
                            pauses.next(), () -> environment.handlers().execute(this::store));
                    return;
                }
                next.forEach(arrival -> arrival.nak(options.backoff()));
            }
            finished(next);
        }
        endIfDone();
    }

    private synchronized @Nullable List<Source.Arrival> next() {
        List<Source.Arrival> next = inHand.peek();
        storing = next != null;
        return next;
    }

    /** Whether to try again: a stop gives back what cannot be stored. */
    private synchronized boolean failed(RuntimeException failure) {
        if (waiting == null) {
            LOG.warn(
                    "What is received from '{}' cannot be stored; it is not acknowledged, and is tried again",
                    source.name(),
                    failure);
        }
        waiting = String.valueOf(failure.getMessage());
        return !stopping;
    }

    private void finished(List<Source.Arrival> arrivals) {
        synchronized (this) {
            inHand.remove();
            messages -= arrivals.size();
        }
        puller.pull();
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

    /** Stores a pull, and acknowledges it then. */
    private void keep(List<Source.Arrival> arrivals) {
        Batch batch = new Batch();
        arrivals.forEach(batch::add);
        Inbox.Received received = inbox.receive(source.name(), batch.messages);
        if (!received.refused().isEmpty()) {
            received.refused().forEach(batch::refused);
            inbox.receive(source.name(), batch.replacements);
        }
        batch.acknowledge();
        synchronized (this) {
            waiting = null;
            done += batch.arrivals.size();
            repeated += received.repeated();
            setAside += batch.setAside;
        }
        pauses.reset();
    }

    /** The messages of a pull, and whose they are. */
    private final class Batch {
        final List<Incoming> messages = new ArrayList<>();
        final List<Incoming> replacements = new ArrayList<>();
        final Map<Source.Arrival, String> cut = new HashMap<>();
        final Map<Incoming, Source.Arrival> arrivals = new IdentityHashMap<>();
        int setAside;

        void add(Source.Arrival arrival) {
            Incoming message;
            try {
                message = arrival.incoming();
            } catch (UndecodableException e) {
                message = setAside(
                        SetAside.undecodable(e, payloadBytes),
                        arrival,
                        e.origin().id(),
                        e.getMessage());
            } catch (RuntimeException e) {
                LOG.error("A message of '{}' cannot even be kept; it comes again", source.name(), e);
                arrival.nak(options.backoffMax());
                return;
            }
            arrivals.put(message, arrival);
            messages.add(message);
        }

        void refused(Inbox.Refused refused) {
            Source.Arrival arrival = arrivals.remove(refused.message());
            if (arrival != null) {
                SetAside aside = SetAside.of(Inbox.UNDECODABLE, refused.message(), refused.why(), payloadBytes);
                Incoming message = setAside(aside, arrival, refused.message().id(), refused.why());
                arrivals.put(message, arrival);
                replacements.add(message);
            }
        }

        private Incoming setAside(SetAside aside, Source.Arrival arrival, String id, @Nullable String why) {
            setAside++;
            String reason = String.valueOf(why);
            LOG.error(
                    "Message '{}' of '{}' is no event: it is kept as '{}', where an operator finds it{}: {}",
                    id,
                    source.name(),
                    Inbox.UNDECODABLE,
                    aside.whole() ? "" : ", cut to what a payload may have",
                    reason);
            observers.observe(new Observation.SetAside(source.name(), id, reason));
            if (!aside.whole()) {
                cut.put(arrival, reason);
            }
            return aside.incoming();
        }

        /** Of what could not be kept whole, the source is told that it was not handled. */
        void acknowledge() {
            arrivals.values().forEach(arrival -> {
                String why = cut.get(arrival);
                if (why == null) {
                    arrival.ack();
                } else {
                    arrival.term(why);
                }
            });
        }
    }
}
