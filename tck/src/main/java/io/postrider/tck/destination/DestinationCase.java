package io.postrider.tck.destination;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.Event;
import io.postrider.EventId;
import io.postrider.Headers;
import io.postrider.Lane;
import io.postrider.Payload;
import io.postrider.Position;
import io.postrider.StoredEvent;
import io.postrider.destination.Destination;
import io.postrider.destination.Guarded;
import io.postrider.destination.Outcome;
import io.postrider.destination.Receipt;
import io.postrider.tck.Eventually;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import tools.jackson.databind.json.JsonMapper;

/** What the suites of destinations share: a destination for each test, a server that runs after it, and words. */
public abstract class DestinationCase {
    static final String SUBSCRIPTION = "letters";
    /** How much later than it promises a destination may answer, on a busy machine. */
    static final Duration GRACE = Duration.ofSeconds(15);
    /** How {@link #answer} begins to say that there was none. */
    static final String FAILED = "a failure instead of an answer";
    /** Each look at what has arrived is work for the server. */
    private static final Duration LOOK_EVERY = Duration.ofMillis(50);

    private static final AtomicLong POSITIONS = new AtomicLong();
    private static final JsonMapper JSON = JsonMapper.builder().build();

    private final ExecutorService callers = Executors.newCachedThreadPool(DestinationCase::daemon);
    private final List<Destination> opened = new ArrayList<>();
    private boolean stopped;
    private boolean paused;

    Destination destination;

    /** The fixture that all tests share. */
    protected abstract DestinationFixture fixture();

    @BeforeEach
    final void openDestination() {
        destination = open();
        awaitProbe(destination);
    }

    @AfterEach
    final void closeDestination() throws Exception {
        try {
            release();
        } finally {
            heal();
            for (Destination each : opened) {
                close(each);
            }
            callers.shutdownNow();
        }
    }

    /** Ends what a test has started, before its destination goes. */
    void release() {}

    private void heal() {
        if (stopped) {
            start();
        }
        if (paused) {
            resume();
        }
    }

    final boolean has(DestinationFixture.Limitation limitation) {
        return fixture().limitations().contains(limitation);
    }

    final Eventually eventually() {
        return new Eventually(fixture().patience());
    }

    /** For what only the server can answer. */
    final Eventually onTheServer() {
        return new Eventually(fixture().patience(), LOOK_EVERY);
    }

    // ---- destinations and their server ------------------------------------------------------------------------------

    /** One more, which the end of the test closes. */
    final Destination open() {
        Destination one = fixture().open();
        opened.add(one);
        return one;
    }

    static void close(Destination destination) throws Exception {
        assertThat(destination).as("whoever made a destination closes it").isInstanceOf(AutoCloseable.class);
        ((AutoCloseable) destination).close();
    }

    final void stop() {
        stopped = true;
        fixture().stopServer();
    }

    final void start() {
        fixture().startServer();
        stopped = false;
    }

    final void pause() {
        paused = true;
        fixture().pauseServer();
    }

    final void resume() {
        fixture().resumeServer();
        paused = false;
    }

    // ---- events -----------------------------------------------------------------------------------------------------

    static StoredEvent letter(String key, String text) {
        return stored(Event.of(DestinationSuite.TYPE, text).key(key));
    }

    /** As many as one dispatch may carry, of different keys. */
    static List<StoredEvent> letters(int count) {
        String name = UUID.randomUUID().toString();
        return IntStream.range(0, count)
                .mapToObj(number -> letter(name + "-" + number, "letter " + number))
                .toList();
    }

    /** As the log would have it. */
    static StoredEvent stored(Event event) {
        EventId id = drawId();
        return new StoredEvent(
                new Position(POSITIONS.incrementAndGet()),
                Lane.of(event.key(), id, Lane.COUNT_DEFAULT),
                id,
                event.type(),
                event.key(),
                text(event.payload()),
                event.headers(),
                event.tenant(),
                Instant.now().truncatedTo(ChronoUnit.MILLIS));
    }

    static EventId drawId() {
        return new EventId(UUID.randomUUID());
    }

    private static String text(Payload payload) {
        return payload instanceof Payload.Json json
                ? json.text()
                : JSON.writeValueAsString(((Payload.Value) payload).value());
    }

    static Headers headers(String... namesAndValues) {
        Headers headers = Headers.NONE;
        for (int i = 0; i < namesAndValues.length; i += 2) {
            headers = headers.with(namesAndValues[i], namesAndValues[i + 1]);
        }
        return headers;
    }

    // ---- dispatch ---------------------------------------------------------------------------------------------------

    final List<Outcome> dispatch(StoredEvent... events) {
        return dispatch(Arrays.asList(events));
    }

    /** Dispatches in batches as large as the destination takes, one after the other. */
    final List<Outcome> dispatch(List<StoredEvent> events) {
        List<Outcome> outcomes = new ArrayList<>();
        int batch = destination.profile().batch();
        for (int from = 0; from < events.size(); from += batch) {
            List<StoredEvent> some = events.subList(from, Math.min(events.size(), from + batch));
            outcomes.addAll(answer(begin(some)));
        }
        return outcomes;
    }

    /** Dispatches on a thread of its own, as a destination may work before it returns. */
    final CompletableFuture<List<Outcome>> begin(List<StoredEvent> events) {
        List<Destination.Dispatch> dispatches = events.stream()
                .map(event -> new Destination.Dispatch(SUBSCRIPTION, event, 1))
                .toList();
        return call(() -> destination.dispatch(dispatches)).thenApply(outcomes -> {
            assertThat(outcomes).as("one outcome for each event").hasSize(events.size());
            return outcomes;
        });
    }

    final CompletableFuture<Void> probe(Destination destination) {
        return call(destination::probe);
    }

    private <R> CompletableFuture<R> call(Supplier<CompletionStage<R>> work) {
        return CompletableFuture.supplyAsync(work, callers).thenCompose(stage -> stage);
    }

    /** Closes it, if that takes no longer than an answer. */
    final void closeInTime(Destination destination) {
        answer(CompletableFuture.runAsync(
                () -> {
                    try {
                        close(destination);
                    } catch (Exception e) {
                        throw new IllegalStateException(e);
                    }
                },
                callers));
    }

    /** What was answered, if that happened within the destination's patience and without a failure. */
    final <R> R answer(CompletableFuture<R> future) {
        try {
            return future.get(bound().toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            throw new AssertionError("no answer within " + bound(), e);
        } catch (ExecutionException e) {
            throw new AssertionError(FAILED + ": " + e.getCause(), e.getCause());
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    final Duration bound() {
        return destination.profile().patience().plus(GRACE);
    }

    /** Tries again, as the engine does, until it takes events. */
    final void awaitProbe(Destination destination) {
        new Eventually(fixture().patience(), LOOK_EVERY).holds(() -> answer(probe(destination)));
    }

    // ---- receipts ---------------------------------------------------------------------------------------------------

    static List<Guarded.Sealed> seals(List<StoredEvent> events, List<Outcome> outcomes) {
        List<Guarded.Sealed> seals = new ArrayList<>();
        for (int i = 0; i < events.size(); i++) {
            Receipt receipt = outcomes.get(i).receipt();
            if (receipt == null) {
                throw new AssertionError("a guarded destination gives a receipt, got " + outcomes.get(i));
            }
            seals.add(new Guarded.Sealed(receipt, events.get(i).id()));
        }
        return seals;
    }

    final List<Boolean> verify(Guarded guarded, List<Guarded.Sealed> seals) {
        return answer(call(() -> guarded.verify(seals)));
    }

    // ---- what came of it --------------------------------------------------------------------------------------------

    static void assertDelivered(List<Outcome> outcomes) {
        assertThat(outcomes)
                .isNotEmpty()
                .allSatisfy(outcome -> assertThat(outcome).isInstanceOf(Outcome.Delivered.class));
    }

    static void assertDown(List<Outcome> outcomes) {
        assertThat(outcomes).isNotEmpty().allSatisfy(outcome -> {
            assertThat(outcome).isInstanceOf(Outcome.Down.class);
            assertThat(((Outcome.Down) outcome).why()).as("why it is down").isNotBlank();
        });
    }

    /** Waits until these are there. */
    final void assertArrived(Collection<StoredEvent> events) {
        onTheServer().holds(() -> assertThat(arrivedIds(events)).hasSize(events.size()));
    }

    /** The ids of those that have arrived, in their order, each once. */
    final Set<String> arrivedIds(Collection<StoredEvent> events) {
        Set<String> ids = new LinkedHashSet<>();
        arrived(events).forEach(arrived -> ids.add(arrived.id()));
        return ids;
    }

    /** Those of these events that have arrived, as often as they have. */
    final List<DestinationFixture.Arrived> arrived(Collection<StoredEvent> events) {
        Set<String> ids = new LinkedHashSet<>(ids(events));
        return fixture().arrived().stream()
                .filter(arrived -> ids.contains(arrived.id()))
                .toList();
    }

    static List<String> ids(Collection<StoredEvent> events) {
        return events.stream().map(event -> event.id().toString()).toList();
    }

    private static Thread daemon(Runnable work) {
        Thread thread = new Thread(work, "suite-caller");
        thread.setDaemon(true);
        return thread;
    }
}
