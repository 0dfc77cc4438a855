package io.postrider.nats;

import io.nats.client.JetStreamApiException;
import io.postrider.destination.Outcome;
import io.postrider.destination.Receipt;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** A connection with what is under way on it. When it is lost, all that is under way is answered. Thread-safe. */
final class Incarnation implements Acknowledgements.Answers<Seat> {
    private static final String FORBIDDEN = "Permissions Violation for Publish";

    private final Link link;
    private final long maxPayload;
    private final Set<Flight> flights = ConcurrentHashMap.newKeySet();
    private final Acknowledgements<Seat> acknowledgements;
    private final Unanswered unanswered;
    private volatile StreamTable streams;

    /** Finds out why an event was not answered. */
    interface Unanswered {
        void explain(Incarnation where, Seat seat, String words);
    }

    Incarnation(Link link, StreamTable streams, Unanswered unanswered) {
        this.link = link;
        this.acknowledgements = new Acknowledgements<>(link.connection(), this);
        this.unanswered = unanswered;
        this.maxPayload = link.connection().getMaxPayload();
        this.streams = streams;
        link.onComplaint(this::complain);
        link.onLost(why -> answerAll());
    }

    Link link() {
        return link;
    }

    long maxPayload() {
        return maxPayload;
    }

    StreamTable streams() {
        return streams;
    }

    void streams(StreamTable streams) {
        this.streams = streams;
    }

    void depart(Flight flight) {
        flights.add(flight);
        if (link.isLost()) {
            // It was perhaps added after all others had been answered.
            answerAll();
        }
    }

    void publish(Outgoing outgoing) {
        Seat seat = outgoing.seat();
        seat.flight().board(seat);
        acknowledgements.publish(seat.target().subject(), outgoing.headers(), outgoing.body(), seat);
    }

    @Override
    public void acknowledged(Seat seat, Receipt receipt) {
        settle(seat.flight(), seat.index(), new Outcome.Delivered(receipt));
    }

    @Override
    public void refused(Seat seat, JetStreamApiException refusal) {
        settle(seat.flight(), seat.index(), Refusal.outcome(refusal));
    }

    @Override
    public void unanswered(Seat seat, String words) {
        unanswered.explain(this, seat, words);
    }

    void settle(Flight flight, int index, Outcome outcome) {
        flight.settle(index, outcome);
        if (flight.isOver()) {
            flights.remove(flight);
        }
    }

    /** Gives the connection up if something has been under way for this time, or will have been at the next look. */
    void expect(Duration within, Duration nextLook) {
        long latest = System.nanoTime() - within.minus(nextLook).toNanos();
        if (flights.stream().anyMatch(flight -> flight.departedBefore(latest))) {
            link.cutOff("JetStream has not acknowledged within " + within + ", and nobody knows what has arrived");
        }
    }

    private void answerAll() {
        link.onLost(why -> {
            Outcome down = Outcome.down(why);
            flights.forEach(flight -> flight.settleRest(down));
            flights.removeIf(Flight::isOver);
        });
    }

    /** The server says on another way than by an acknowledgement that it refuses something. */
    private void complain(String words) {
        if (words.startsWith(FORBIDDEN)) {
            Outcome dead = Outcome.dead("NATS says: " + words);
            flights.forEach(flight -> flight.settleNamed(words, dead));
            flights.removeIf(Flight::isOver);
        }
    }
}
