package io.postrider.tck;

import io.postrider.destination.Source;
import io.postrider.destination.SourceException;
import io.postrider.wire.Decoding;
import io.postrider.wire.Incoming;
import io.postrider.wire.Message;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A broker of one process: keeps messages until they are acknowledged, and gives them again when told that whoever had
 * them is gone. Thread-safe.
 */
final class FakeSource implements Source {
    private final List<Kept> messages = new ArrayList<>();
    private boolean down;
    private boolean losesAcks;
    private int workings;

    @Override
    public String name() {
        return "orders";
    }

    // ---- what a producer does ---------------------------------------------------------------------------------------

    /** A letter, with its text as its id. */
    void send(String key, String text) {
        send(Map.of(Message.KEY, key), "\"" + text + "\"");
    }

    void send(Map<String, String> more, String body) {
        Map<String, String> headers = new LinkedHashMap<>(more);
        headers.putIfAbsent(Message.TYPE, StoreCase.TYPE);
        headers.putIfAbsent(Message.ID, "id of " + (body.length() > 40 ? body.length() : body));
        send(new Message(headers, body.getBytes(StandardCharsets.UTF_8)));
    }

    synchronized void send(Message message) {
        messages.add(new Kept(message, messages.size() + 1, null));
        notifyAll();
    }

    /** A message that this source cannot decode, and of which it tells nothing but the failure. */
    synchronized void sendUndecodable(RuntimeException failure) {
        messages.add(new Kept(new Message(Map.of(), new byte[0]), messages.size() + 1, failure));
        notifyAll();
    }

    // ---- what befalls a broker --------------------------------------------------------------------------------------

    synchronized void down(boolean value) {
        down = value;
        notifyAll();
    }

    /** As a consumer that dies between commit and acknowledgement. */
    synchronized void loseAcks(boolean value) {
        losesAcks = value;
    }

    /** Gives everything again that was not acknowledged. */
    synchronized void redeliver() {
        messages.forEach(Kept::free);
        notifyAll();
    }

    // ---- what it has seen -------------------------------------------------------------------------------------------

    synchronized long acked() {
        return messages.stream().filter(kept -> kept.acked).count();
    }

    synchronized List<String> termed() {
        return messages.stream()
                .filter(kept -> kept.termed != null)
                .map(kept -> kept.termed)
                .toList();
    }

    synchronized int naks() {
        return messages.stream().mapToInt(kept -> kept.naks).sum();
    }

    synchronized int pulled() {
        return messages.stream().mapToInt(kept -> kept.attempt).sum();
    }

    synchronized int workings() {
        return workings;
    }

    // ---- a source ---------------------------------------------------------------------------------------------------

    @Override
    public synchronized List<Arrival> pull(int most, Duration wait) throws InterruptedException {
        long until = System.nanoTime() + wait.toNanos();
        List<Arrival> taken = take(most);
        while (taken.isEmpty() && System.nanoTime() < until) {
            wait(1);
            taken = take(most);
        }
        return taken;
    }

    private List<Arrival> take(int most) {
        if (down) {
            throw new SourceException("the broker is away", new IllegalStateException("down"));
        }
        List<Arrival> taken = new ArrayList<>();
        for (Kept kept : messages) {
            if (taken.size() < most && kept.isFree()) {
                kept.taken = true;
                kept.attempt++;
                taken.add(kept.arrival());
            }
        }
        return taken;
    }

    @Override
    public boolean countsAttempts() {
        return true;
    }

    @Override
    public void close() {}

    /** A message until it is acknowledged. */
    private final class Kept {
        final Message message;
        final int number;
        final @Nullable RuntimeException failure;
        boolean taken;
        boolean acked;
        int attempt;
        int naks;
        long notBefore = System.nanoTime();

        @Nullable
        String termed;

        Kept(Message message, int number, @Nullable RuntimeException failure) {
            this.message = message;
            this.number = number;
            this.failure = failure;
        }

        boolean isFree() {
            return !taken && !acked && termed == null && System.nanoTime() - notBefore >= 0;
        }

        void free() {
            taken = false;
        }

        Arrival arrival() {
            int mine = attempt;
            return new Arrival() {
                @Override
                public Incoming incoming() {
                    if (failure != null) {
                        throw failure;
                    }
                    return Decoding.decode(
                            message, new Decoding.Origin("stream:" + number, "unknown", null, Instant.EPOCH));
                }

                @Override
                public int attempt() {
                    return mine;
                }

                @Override
                public void ack() {
                    synchronized (FakeSource.this) {
                        acked |= !losesAcks;
                    }
                }

                @Override
                public void nak(Duration after) {
                    synchronized (FakeSource.this) {
                        naks++;
                        notBefore = System.nanoTime() + after.toNanos();
                        free();
                    }
                }

                @Override
                public void term(String why) {
                    synchronized (FakeSource.this) {
                        termed = why;
                    }
                }

                @Override
                public void working() {
                    synchronized (FakeSource.this) {
                        workings++;
                    }
                }
            };
        }
    }
}
