package io.postrider.nats;

import io.nats.client.impl.Headers;
import io.postrider.StoredEvent;
import io.postrider.destination.Guarded;
import io.postrider.destination.Outcome;
import io.postrider.wire.Message;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Events to streams of NATS JetStream. Each carries its id, so that a stream stores it once within its duplicate
 * window; delivered is what a stream has acknowledged.
 *
 * <p>A lost connection does not come back by itself: all that was under way on it is answered {@code Down}, and only
 * {@link #probe} makes another one. So nothing reaches a restarted server before {@link #verify} could ask what it has
 * lost.
 *
 * <p>Thread-safe.
 */
public final class JetStreamDestination implements Guarded, AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(JetStreamDestination.class);

    private final JetStreamConfig config;
    private final Profile profile;
    private final Target.Finder targets;
    private final HeaderWriter headers = new HeaderWriter();
    private final Threads threads;
    private final List<Consumer<String>> listeners = new CopyOnWriteArrayList<>();
    private volatile @Nullable Incarnation current;
    private volatile String whyDown = "not connected yet";
    private volatile List<String> warnings = List.of();
    private volatile List<String> toldUnreplicated = List.of();
    private volatile boolean closed;

    private JetStreamDestination(JetStreamConfig config) {
        this.config = config;
        this.profile = new Profile(config.servers().name(), config.batch(), config.window(), config.ackTimeout());
        this.targets = new Target.Finder(config.topics(), config.streams().routes());
        this.threads = new Threads("postrider-nats-" + config.servers().name());
    }

    /**
     * Connects and looks at the streams. Where no server can be reached it is down, and says so in the log: events
     * wait, and go once a server is there.
     *
     * @throws IllegalStateException if a server is there, and the configuration does not fit: it does not let us in, a
     *     stream is missing or different
     */
    public static JetStreamDestination start(JetStreamConfig config) {
        JetStreamDestination destination = new JetStreamDestination(config);
        try {
            destination.connect();
        } catch (IOException e) {
            destination.whyDown = String.valueOf(e.getMessage());
            // The engine tells the outage, with the first event that meets it.
            log.info("{}: events wait until it is back", e.getMessage());
        } catch (InterruptedException e) {
            destination.close();
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while connecting", e);
        } catch (RuntimeException e) {
            destination.close();
            throw e;
        }
        destination.threads.every(destination.lookEvery(), destination::expectAnswers);
        return destination;
    }

    @Override
    public String kind() {
        List<StreamSpec> specs = config.streams().specs();
        return "JetStream "
                + (specs.isEmpty()
                        ? profile.name()
                        : specs.stream().map(StreamSpec::name).collect(Collectors.joining(", ")));
    }

    @Override
    public Profile profile() {
        return profile;
    }

    /** Settings of streams that are allowed but have consequences, as of the last look at the streams. */
    public List<String> warnings() {
        return warnings;
    }

    @Override
    public CompletionStage<List<Outcome>> dispatch(List<Dispatch> dispatches) {
        Incarnation now = current;
        if (now == null) {
            return CompletableFuture.completedFuture(Collections.nCopies(dispatches.size(), Outcome.down(whyDown)));
        }
        Flight flight = new Flight(dispatches.size());
        now.depart(flight);
        // All are made before the first is published: the connection's writer wakes up once for them, not for each.
        List<Outgoing> made = new ArrayList<>(dispatches.size());
        for (int i = 0; i < dispatches.size(); i++) {
            Outgoing outgoing = make(now, flight, i, dispatches.get(i).event());
            if (outgoing != null) {
                made.add(outgoing);
            }
        }
        for (int i = 0; i < made.size() && !flight.isOver(); i++) {
            publish(now, made.get(i));
        }
        return flight.answer();
    }

    /** The message of this event, or null if there is none, which is its outcome. */
    private @Nullable Outgoing make(Incarnation now, Flight flight, int index, StoredEvent event) {
        try {
            Target target = targets.of(event);
            Message message = config.encoding().encode(event);
            Headers headers = this.headers.write(message, event.id().toString(), target.stream());
            long size = (long) headers.serializedLength() + message.body().length;
            if (target.refusal() != null) {
                now.settle(flight, index, target.refusal());
            } else if (size > now.maxPayload()) {
                now.settle(flight, index, tooLarge(size, now.maxPayload()));
            } else {
                return new Outgoing(new Seat(flight, index, target), headers, message.body());
            }
        } catch (RuntimeException e) {
            now.settle(flight, index, Outcome.dead("no message can be made of it: " + e));
        }
        return null;
    }

    private static void publish(Incarnation now, Outgoing outgoing) {
        try {
            now.publish(outgoing);
        } catch (IllegalStateException e) {
            now.link().cutOff("the connection to NATS takes nothing: " + e.getMessage());
        } catch (RuntimeException e) {
            Seat seat = outgoing.seat();
            now.settle(seat.flight(), seat.index(), Outcome.dead("no message can be made of it: " + e));
        }
    }

    private static Outcome tooLarge(long size, long limit) {
        return Outcome.dead("the message has " + size + " bytes with its headers, and the server takes " + limit
                + " at most (max_payload)");
    }

    /** Nobody takes the subject: because no stream does, or because the stream that does has no leader at present. */
    private void unanswered(Incarnation now, Seat seat, String words) {
        Target target = seat.target();
        Outcome away = Outcome.down("no stream answers at '" + target.subject() + "': " + words);
        if (now.streams().takes(target.subject(), target.stream())) {
            now.settle(seat.flight(), seat.index(), away);
            return;
        }
        var unused = threads.run(() -> StreamTable.takesNow(now.link().management(), target.subject()))
                .whenComplete((taken, failure) ->
                        now.settle(seat.flight(), seat.index(), failure == null && !taken ? target.untaken() : away));
    }

    private Duration lookEvery() {
        return config.ackTimeout().dividedBy(8);
    }

    private void expectAnswers() {
        Incarnation now = current;
        if (now != null) {
            now.expect(config.ackTimeout(), lookEvery());
        }
    }

    @Override
    public CompletionStage<Void> probe() {
        return threads.run(() -> {
            connect();
            return null;
        });
    }

    /** Makes a connection if there is none, and looks at the streams in any case. */
    private synchronized void connect() throws IOException, InterruptedException {
        Incarnation now = current;
        if (now != null) {
            now.streams(look(now.link()));
            return;
        }
        Link link = Link.connect(
                profile.name(),
                config.servers(),
                config.topics().unicode(),
                config.ackTimeout().multipliedBy(4));
        try {
            begin(new Incarnation(link, look(link), this::unanswered));
        } catch (IOException | RuntimeException e) {
            link.close();
            throw e;
        }
    }

    private StreamTable look(Link link) throws IOException {
        StreamTable table;
        try {
            table = StreamTable.load(link.management(), config);
        } catch (IOException e) {
            link.requireJetStream();
            throw new IOException("JetStream does not answer: " + e.getMessage(), e);
        }
        if (!table.warnings().equals(warnings)) {
            warnings = table.warnings();
            warnings.forEach(warning -> log.warn("{}", warning));
        }
        return table;
    }

    private void begin(Incarnation made) {
        log.info("connected to {}", made.link().connection().getConnectedUrl());
        List<String> unreplicated = made.streams().unreplicated();
        if (!unreplicated.isEmpty() && !unreplicated.equals(toldUnreplicated)) {
            toldUnreplicated = unreplicated;
            log.info(
                    "streams {} are on one server each, which acknowledges before it has written to its disk, by"
                            + " default up to two minutes (sync_interval, which a client cannot see): what a crash"
                            + " loses is found by its receipts and dispatched again, as far back as guardedFor",
                    unreplicated);
        }
        current = made;
        made.link().onLost(why -> end(made, why));
        if (closed) {
            made.link().close();
        }
    }

    private void end(Incarnation lost, String why) {
        if (current == lost) {
            whyDown = why;
            current = null;
        }
        if (!closed) {
            listeners.forEach(listener -> listener.accept(why));
        }
    }

    @Override
    public void onCutOff(Consumer<String> listener) {
        listeners.add(listener);
    }

    @Override
    public CompletionStage<List<Boolean>> verify(List<Sealed> seals) {
        return threads.run(() -> {
            Incarnation now = current;
            if (now == null) {
                throw new IOException("nobody can say what JetStream has: " + whyDown);
            }
            return new Inspection(now.link().management()).inspect(seals);
        });
    }

    /** Ends the connection; what is under way is answered {@code Down}. */
    @Override
    public void close() {
        closed = true;
        whyDown = "the destination was closed";
        Incarnation now = current;
        if (now != null) {
            now.link().close();
        }
        threads.close();
    }
}
