package io.postrider.memory.destination;

import io.postrider.EventId;
import io.postrider.StoredEvent;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A broker in memory: one thread stores what was sent, in its order, and acknowledges it. A crash stores one more event
 * than it acknowledges, as real ones do. Thread-safe.
 */
final class FakeBroker implements AutoCloseable {
    /** Words of a broker that refuses something. */
    static final String REFUSAL = "the post office does not carry livestock";
    /** What it refuses. */
    static final String REFUSED_TYPE = "letter.alive";

    private final boolean deduplicates;
    private final ExecutorService network = Executors.newSingleThreadExecutor();
    private final List<StoredEvent> stored = new ArrayList<>();
    private final Map<EventId, Long> sequences = new HashMap<>();
    private final Queue<Sent> underWay = new ArrayDeque<>();
    private final List<Consumer<String>> listeners = new ArrayList<>();
    private boolean stopped;
    private boolean paused;

    FakeBroker(boolean deduplicates) {
        this.deduplicates = deduplicates;
    }

    /** What it says of an event that it will never take. */
    static final class Refused extends Exception {
        Refused() {
            super(REFUSAL);
        }
    }

    /** An event, or none where someone only asks whether it is there, and who waits for the answer. */
    private record Sent(@Nullable StoredEvent event, CompletableFuture<Long> answer) {}

    /** The number under which it is stored; fails if it is refused or the connection is lost. */
    CompletableFuture<Long> send(StoredEvent event) {
        return ask(new Sent(event, new CompletableFuture<>()));
    }

    CompletableFuture<Long> ping() {
        return ask(new Sent(null, new CompletableFuture<>()));
    }

    private synchronized CompletableFuture<Long> ask(Sent sent) {
        if (stopped) {
            sent.answer().completeExceptionally(new IOException("connection refused"));
        } else {
            underWay.add(sent);
            network.execute(this::serve);
        }
        return sent.answer();
    }

    private void serve() {
        Sent sent;
        Object answer;
        synchronized (this) {
            sent = paused ? null : underWay.poll();
            if (sent == null) {
                return;
            }
            answer = take(sent.event());
        }
        if (answer instanceof Refused refused) {
            sent.answer().completeExceptionally(refused);
        } else {
            sent.answer().complete((Long) answer);
        }
    }

    /** The number of an event, or why it has none. */
    private Object take(@Nullable StoredEvent event) {
        if (event == null) {
            return 0L;
        }
        if (event.type().equals(REFUSED_TYPE)) {
            return new Refused();
        }
        Long known = sequences.get(event.id());
        if (known != null && deduplicates) {
            return known;
        }
        stored.add(event);
        sequences.put(event.id(), (long) stored.size());
        return (long) stored.size();
    }

    /** Whether this event has this number. */
    synchronized boolean has(long sequence, EventId id) {
        return sequence >= 1
                && sequence <= stored.size()
                && stored.get((int) sequence - 1).id().equals(id);
    }

    synchronized List<StoredEvent> stored() {
        return List.copyOf(stored);
    }

    synchronized void onCutOff(Consumer<String> listener) {
        listeners.add(listener);
    }

    void stop() {
        List<Sent> lost;
        List<Consumer<String>> told;
        synchronized (this) {
            stopped = true;
            lost = List.copyOf(underWay);
            underWay.clear();
            if (!lost.isEmpty()) {
                take(lost.get(0).event());
            }
            told = List.copyOf(listeners);
        }
        told.forEach(listener -> listener.accept("connection lost"));
        lost.forEach(sent -> sent.answer().completeExceptionally(new IOException("connection lost")));
    }

    synchronized void start() {
        stopped = false;
    }

    synchronized void pause() {
        paused = true;
    }

    synchronized void resume() {
        paused = false;
        underWay.forEach(sent -> network.execute(this::serve));
    }

    @Override
    public void close() {
        network.shutdownNow();
    }
}
