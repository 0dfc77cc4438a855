package io.postrider.engine.receive;

import io.postrider.Environment;
import io.postrider.EventId;
import io.postrider.Inbox;
import io.postrider.destination.Placed;
import io.postrider.destination.Source;
import io.postrider.destination.SourceException;
import io.postrider.engine.base.Observers;
import io.postrider.observe.Observation;
import io.postrider.store.StoreException;
import io.postrider.text.Failure;
import io.postrider.text.Logs;
import io.postrider.text.Printable;
import io.postrider.wire.Incoming;
import io.postrider.wire.UndecodableException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/** Messages that are stored together, and whose they are. Not thread-safe: it is handed from one thread to the next. */
final class ReceiveBatch {
    private static final Logger LOG = Logs.of(ReceiveBatch.class);

    private final String source;
    private final int payloadBytes;
    private final Environment environment;
    private final Observers observers;
    private final List<Incoming> messages = new ArrayList<>();
    private final List<Incoming> replacements = new ArrayList<>();
    private final Map<Source.Arrival, String> cut = new HashMap<>(0);
    private final Map<Incoming, Source.Arrival> arrivals = new IdentityHashMap<>();
    private final List<Source.Arrival> comesAgain = new ArrayList<>(0);
    private Placed.@Nullable Place newest;
    private int setAside;

    ReceiveBatch(String source, int payloadBytes, Environment environment, Observers observers) {
        this.source = source;
        this.payloadBytes = payloadBytes;
        this.environment = environment;
        this.observers = observers;
    }

    int size() {
        return messages.size();
    }

    /** How many the source may forget once they are stored. */
    int kept() {
        return messages.size() - comesAgain.size();
    }

    /** How many of them are no events. */
    int setAside() {
        return setAside;
    }

    void add(Source.Arrival arrival) {
        Incoming message = decode(arrival);
        arrivals.put(message, arrival);
        messages.add(message);
        if (arrival instanceof Placed.PlacedArrival placed) {
            newest = newest == null || placed.place().compareTo(newest) > 0 ? placed.place() : newest;
        }
    }

    /**
     * The event, or what is kept of a message of which none can be made. A failure that nobody foresaw is the message's
     * too: returned, it would fail again, and hold back all that is behind it.
     */
    private Incoming decode(Source.Arrival arrival) {
        try {
            return arrival.incoming();
        } catch (UndecodableException e) {
            SetAside aside = SetAside.undecodable(e, payloadBytes);
            return keptAside(aside, arrival, e.origin().id(), e.getMessage());
        } catch (SourceException | StoreException e) {
            throw e;
        } catch (RuntimeException e) {
            Throwable told = Failure.tellable(e);
            EventId id = EventId.draw(environment.now(), environment.random());
            LOG.debug("The decoding of message {} of '{}' failed unexpectedly", id, source, told);
            SetAside aside = SetAside.unread(id, told, payloadBytes);
            return keptAside(aside, arrival, id.toString(), SetAside.why(told));
        }
    }

    /** Stores them; what the inbox refuses is kept aside. May be called again after a failure. */
    Inbox.Received store(Intake inbox) {
        Inbox.Received received = inbox.receive(source, messages, newest);
        if (!received.refused().isEmpty()) {
            received.refused().forEach(this::replace);
            inbox.receive(source, replacements, newest).refused().forEach(this::notKept);
        }
        return received;
    }

    private void notKept(Inbox.Refused refused) {
        Source.Arrival arrival = arrivals.remove(refused.message());
        if (arrival != null) {
            LOG.error(
                    "The log refuses a message of '{}' also as '{}'; the message stays at its source and comes again"
                            + " until the log takes it: {}",
                    source,
                    Inbox.UNDECODABLE,
                    Printable.reason(refused.why()));
            comesAgain.add(arrival);
            setAside--;
        }
    }

    private void replace(Inbox.Refused refused) {
        Source.Arrival arrival = arrivals.remove(refused.message());
        if (arrival != null) {
            SetAside aside = SetAside.of(Inbox.UNDECODABLE, refused.message(), refused.why(), payloadBytes);
            Incoming message = keptAside(aside, arrival, refused.message().id(), refused.why());
            arrivals.put(message, arrival);
            replacements.add(message);
        }
    }

    private Incoming keptAside(SetAside aside, Source.Arrival arrival, String id, @Nullable String why) {
        setAside++;
        String reason = String.valueOf(why);
        LOG.error(
                "Message '{}' of '{}' is no event: it is kept as '{}', where an operator finds it{}: {}",
                Printable.name(id),
                source,
                Inbox.UNDECODABLE,
                aside.words(),
                Printable.reason(reason));
        observers.observe(new Observation.SetAside(source, id, reason));
        if (!aside.whole()) {
            cut.put(arrival, reason);
        }
        return aside.incoming();
    }

    /** Of what could not be kept whole, the source is told that it was not handled; what was not kept comes again. */
    void acknowledge(Duration again) {
        comesAgain.forEach(arrival -> arrival.nak(again));
        arrivals.values().forEach(arrival -> {
            String why = cut.get(arrival);
            if (why == null) {
                arrival.ack();
            } else {
                arrival.term(why);
            }
        });
    }

    void giveBack(Duration after) {
        arrivals.values().forEach(arrival -> arrival.nak(after));
        comesAgain.forEach(arrival -> arrival.nak(after));
    }
}
