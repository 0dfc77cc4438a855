package io.postrider.engine.receive;

import io.postrider.Environment;
import io.postrider.EventId;
import io.postrider.Inbox;
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
import java.util.List;
import org.slf4j.Logger;

/**
 * What a direct consumer does with messages that no attempt helps: each is kept in the log as an event, and then its
 * source is told not to give it again. The methods answer whether a message was kept. Thread-safe.
 */
final class SettingAside {
    private static final Logger LOG = Logs.of(SettingAside.class);

    private final String consumer;
    private final String source;
    private final Intake inbox;
    private final int payloadBytes;
    private final Duration again;
    private final Environment environment;
    private final Observers observers;

    /** @param again after which time a message comes again that could not be kept */
    SettingAside(Consumption<?> consumption, String source, Intake inbox, int payloadBytes, Duration again) {
        this.consumer = consumption.name();
        this.source = source;
        this.inbox = inbox;
        this.payloadBytes = payloadBytes;
        this.again = again;
        this.environment = consumption.environment();
        this.observers = consumption.transactions().observers();
    }

    /** Keeps a message of which no event could be made; one that cannot be read at present comes again. */
    boolean undecodable(Source.Arrival arrival, RuntimeException failure) {
        if (failure instanceof SourceException || failure instanceof StoreException) {
            LOG.error(
                    "A message of '{}' could not be read at present; it was returned and comes again",
                    source,
                    Failure.tellable(failure));
            arrival.nak(again);
            return false;
        }
        if (failure instanceof UndecodableException undecodable) {
            SetAside aside = SetAside.undecodable(undecodable, payloadBytes);
            return keep(arrival, aside, undecodable.origin().id(), SetAside.why(failure));
        }
        EventId id = EventId.draw(environment.now(), environment.random());
        Throwable told = Failure.tellable(failure);
        LOG.debug("The decoding of message {} of '{}' failed unexpectedly", id, source, told);
        return keep(arrival, SetAside.unread(id, told, payloadBytes), id.toString(), SetAside.why(told));
    }

    /** Keeps an event that no log takes, or with which no handler could deal. */
    boolean event(String type, Source.Arrival arrival, Incoming message, String why) {
        return keep(arrival, SetAside.of(type, message, why, payloadBytes), message.id(), why);
    }

    /** Stored before the source forgets it; the consumer's own name tells it from what an inbox has received. */
    private boolean keep(Source.Arrival arrival, SetAside aside, String id, String why) {
        String type = aside.incoming().event().type();
        List<Inbox.Refused> refused =
                inbox.receive(consumer, List.of(aside.incoming())).refused();
        if (!refused.isEmpty()) {
            LOG.error(
                    "The log refuses message '{}' of '{}' also as '{}'; the message stays at its source and comes again"
                            + " until the log takes it: {}",
                    Printable.name(id),
                    source,
                    type,
                    Printable.reason(refused.get(0).why()));
            arrival.nak(again);
            return false;
        }
        LOG.error(
                "Consumer '{}' gives up message '{}' of '{}': it is kept as '{}', where an operator finds it{}: {}",
                consumer,
                Printable.name(id),
                source,
                type,
                aside.words(),
                Printable.reason(why));
        observers.observe(new Observation.SetAside(source, id, why));
        arrival.term(why);
        return true;
    }
}
