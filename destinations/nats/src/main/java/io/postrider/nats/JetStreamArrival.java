package io.postrider.nats;

import io.nats.client.Message;
import io.nats.client.impl.NatsJetStreamMetaData;
import io.postrider.destination.Placed.Place;
import io.postrider.destination.Placed.PlacedArrival;
import io.postrider.wire.Decoding;
import io.postrider.wire.Incoming;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A message of a stream. */
final class JetStreamArrival implements PlacedArrival {
    private static final Logger log = LoggerFactory.getLogger(JetStreamArrival.class);

    private final Message message;
    private final long era;

    /** @param era of the places of its stream */
    JetStreamArrival(Message message, long era) {
        this.message = message;
        this.era = era;
    }

    @Override
    public Place place() {
        NatsJetStreamMetaData meta = message.metaData();
        return new Place(era, meta.streamSequence(), meta.timestamp().toInstant());
    }

    @Override
    public Incoming incoming() {
        return Decoding.decode(
                new io.postrider.wire.Message(NatsHeaders.decode(message.getHeaders()), message.getData()), origin());
    }

    /**
     * Where it lies is told with the time at which it was stored: a stream that was made anew, or has lost its end, has
     * other messages in the same places.
     */
    private Decoding.Origin origin() {
        String given = message.hasHeaders() ? message.getHeaders().getFirst(NatsHeaders.MESSAGE_ID) : null;
        if (given != null) {
            return new Decoding.Origin(given, message.getSubject(), null);
        }
        NatsJetStreamMetaData meta = message.metaData();
        String place = meta.getStream() + ":" + meta.streamSequence();
        return new Decoding.Origin(
                place, message.getSubject(), null, meta.timestamp().toInstant());
    }

    /** Where it lies in its stream. */
    long sequence() {
        return message.metaData().streamSequence();
    }

    @Override
    public int attempt() {
        return (int) Math.min(Integer.MAX_VALUE, message.metaData().deliveredCount());
    }

    @Override
    public void ack() {
        answer("acknowledged", message::ack);
    }

    @Override
    public void nak(Duration after) {
        answer("given back", () -> {
            if (after.isZero() || after.isNegative()) {
                message.nak();
            } else {
                message.nakWithDelay(after);
            }
        });
    }

    @Override
    public void term(String why) {
        answer("ended: " + why, message::term);
    }

    @Override
    public void working() {
        answer("worked on", message::inProgress);
    }

    private void answer(String what, Runnable answer) {
        try {
            answer.run();
        } catch (RuntimeException e) {
            log.debug("a message comes again, because it could not be {}: {}", what, e.toString());
        }
    }
}
