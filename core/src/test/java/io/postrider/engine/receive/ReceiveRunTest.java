package io.postrider.engine.receive;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.Inbox;
import io.postrider.ReceiveOptions;
import io.postrider.destination.Placed;
import io.postrider.destination.Source;
import io.postrider.destination.SourceException;
import io.postrider.engine.base.Observers;
import io.postrider.engine.base.SystemEnvironment;
import io.postrider.policy.NodeLimits;
import io.postrider.store.StoreException;
import io.postrider.wire.Decoding;
import io.postrider.wire.Incoming;
import io.postrider.wire.Message;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ReceiveRunTest {
    private static final ReceiveOptions ONE_AT_A_TIME = ReceiveOptions.DEFAULT
            .most(1)
            .inFlight(2)
            .pullWait(Duration.ofMillis(10))
            .backoff(Duration.ofMillis(1), Duration.ofMillis(5));

    private static final String REFUSED = "refused";

    private final SystemEnvironment environment = new SystemEnvironment();
    private final Collection<String> stored = new ConcurrentLinkedQueue<>();
    private final Collection<String> givenBack = new ConcurrentLinkedQueue<>();
    private final Collection<String> acknowledged = new ConcurrentLinkedQueue<>();
    private int pulledAtOnce = 1;

    @AfterEach
    void close() {
        environment.close();
    }

    @Test
    void nothing_is_stored_behind_what_a_stop_gives_back() throws Exception {
        receiveAndStop("first", "first", "second");
        assertThat(stored).isEmpty();
        assertThat(givenBack).containsExactly("first", "second");
    }

    @Test
    void a_message_that_cannot_be_read_at_present_comes_again_and_the_others_are_stored() throws Exception {
        receiveAndStop("none", "unread", "second");
        assertThat(givenBack).containsExactly("unread");
        assertThat(stored).containsExactly("second");
        assertThat(acknowledged).containsExactly("second");
    }

    @Test
    void what_cannot_even_be_kept_aside_comes_again() throws Exception {
        receiveAndStop("none", REFUSED, "second");
        assertThat(givenBack).containsExactly(REFUSED);
        assertThat(acknowledged).containsExactly("second");
    }

    /** Stops when all have been pulled. */
    private void receiveAndStop(String notStored, String... ids) throws Exception {
        CountDownLatch pulled = new CountDownLatch(ids.length);
        ReceiveRun run = new ReceiveRun(
                new Queued(messages(ids), pulled, pulledAtOnce),
                new Kept(notStored),
                ONE_AT_A_TIME,
                NodeLimits.builder().payloadBytes(1_000).build(),
                environment,
                new Observers(List.of()));
        run.start();
        assertThat(pulled.await(60, TimeUnit.SECONDS)).isTrue();
        run.stop().get(60, TimeUnit.SECONDS);
    }

    @Test
    void a_message_that_cannot_be_read_at_present_takes_the_later_ones_of_its_pull_with_it() throws Exception {
        pulledAtOnce = 3;
        receiveAndStop("none", "first", "unread", "third", "fourth");
        assertThat(stored).containsExactly("first", "fourth");
        assertThat(acknowledged).containsExactly("first", "fourth");
        assertThat(givenBack).containsExactly("unread", "third");
    }

    @Test
    void a_store_that_fails_refuses_no_message() throws Exception {
        receiveAndStop("first", "first");
        assertThat(stored).isEmpty();
        assertThat(acknowledged).isEmpty();
        assertThat(givenBack).containsExactly("first");
    }

    /** An inbox without places. */
    private final class Kept implements Intake {
        private final String notStored;

        Kept(String notStored) {
            this.notStored = notStored;
        }

        @Override
        public Received receive(String source, List<Incoming> messages) {
            return receive(source, messages, null);
        }

        @Override
        public Received receive(String source, List<Incoming> messages, Placed.@Nullable Place newest) {
            return store(messages, notStored);
        }

        @Override
        public void place(String reader, Placed.Place place) {
            throw new AssertionError("this source knows no places");
        }

        @Override
        public Optional<Placed.Place> newest(String reader) {
            throw new AssertionError("this source knows no places");
        }
    }

    private Inbox.Received store(List<Incoming> messages, String notStored) {
        List<Inbox.Refused> refused = messages.stream()
                .filter(message -> message.id().endsWith(REFUSED))
                .map(message -> new Inbox.Refused(message, "no log takes it"))
                .toList();
        if (!refused.isEmpty()) {
            return new Inbox.Received(0, 0, refused);
        }
        for (Incoming message : messages) {
            if (message.id().equals(notStored)) {
                throw new StoreException("the store is away");
            }
            stored.add(message.id());
        }
        return new Inbox.Received(messages.size(), 0, List.of());
    }

    private BlockingQueue<Source.Arrival> messages(String... ids) {
        BlockingQueue<Source.Arrival> arrivals = new LinkedBlockingQueue<>();
        for (String id : ids) {
            arrivals.add(new Letter(id));
        }
        return arrivals;
    }

    /** Gives out so many messages at once. */
    private record Queued(BlockingQueue<Source.Arrival> arrivals, CountDownLatch pulled, int atOnce) implements Source {
        @Override
        public String name() {
            return "queued";
        }

        @Override
        public List<Arrival> pull(int most, Duration wait) throws InterruptedException {
            Arrival next = arrivals.poll(wait.toMillis(), TimeUnit.MILLISECONDS);
            if (next == null) {
                return List.of();
            }
            List<Arrival> taken = new ArrayList<>(List.of(next));
            arrivals.drainTo(taken, atOnce - 1);
            taken.forEach(arrival -> pulled.countDown());
            return taken;
        }

        @Override
        public boolean countsAttempts() {
            return false;
        }

        @Override
        public void close() {}
    }

    /** A message that says what became of it. */
    private final class Letter implements Source.Arrival {
        private final String id;

        Letter(String id) {
            this.id = id;
        }

        @Override
        public Incoming incoming() {
            if (id.equals("unread")) {
                throw new SourceException("its body lies elsewhere, and cannot be fetched", new IOException());
            }
            Message message = new Message(Map.of(Message.ID, id, Message.TYPE, "letter.sent"), new byte[] {'1'});
            return Decoding.decode(message, new Decoding.Origin(id, "letter.sent", null, Instant.EPOCH));
        }

        @Override
        public int attempt() {
            return 1;
        }

        @Override
        public void ack() {
            acknowledged.add(id);
        }

        @Override
        public void nak(Duration after) {
            givenBack.add(id);
        }

        @Override
        public void term(String why) {
            throw new AssertionError("nothing is given up");
        }

        @Override
        public void working() {}
    }
}
