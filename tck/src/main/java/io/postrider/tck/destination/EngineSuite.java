package io.postrider.tck.destination;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.postrider.Event;
import io.postrider.destination.Destination;
import io.postrider.observe.Observation;
import io.postrider.operate.Counts;
import io.postrider.operate.DestinationStatus;
import io.postrider.operate.Ledger;
import io.postrider.store.Store;
import io.postrider.tck.destination.DestinationFixture.Arrived;
import io.postrider.tck.destination.DestinationFixture.Limitation;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * What the engine makes of a destination: from the log to the server, in order, also while the server comes and goes.
 */
public abstract class EngineSuite extends DestinationCase {
    private static final int EVENTS = 2_000;
    private static final int KEYS = 50;
    private static final int CHUNK = 100;
    /** How many have arrived when the server goes. */
    private static final int BEFORE = 300;

    private final String name = UUID.randomUUID().toString();
    private Watched watched;
    private @Nullable Relay<?> relay;

    /** A new, empty store. */
    protected abstract Store<?> store();

    @BeforeEach
    final void watch() {
        watched = Watched.of(destination);
    }

    @Override
    void release() {
        if (relay != null) {
            relay.close();
        }
    }

    @Test
    void two_thousand_events_of_fifty_keys_arrive_in_the_order_of_their_keys() {
        List<Event> events = events(EVENTS);
        startRelay();
        chunks(events).forEach(this::append);
        assertAllDelivered(EVENTS);
        assertArrivedInOrder(events);
        assertRepeatedOnlyWhatWasUnderWay(events);
        assertBounded();
    }

    @Test
    void a_crash_of_the_server_costs_nothing_but_time() {
        List<Event> events = events(EVENTS);
        relayUntilSome(events);
        stop();
        awaitDown(events);
        start();
        assertNothingLost(events);
    }

    @Test
    void a_server_that_answers_nothing_for_a_while_costs_nothing_but_time() {
        if (has(Limitation.CANNOT_BE_PAUSED)) {
            assertThatThrownBy(fixture()::pauseServer).isInstanceOf(UnsupportedOperationException.class);
            return;
        }
        List<Event> events = events(EVENTS);
        relayUntilSome(events);
        pause();
        awaitDown(events);
        resume();
        assertNothingLost(events);
    }

    @Test
    void a_node_may_start_while_the_server_is_down() {
        List<Event> events = events(CHUNK);
        stop();
        startRelay();
        append(events);
        awaitFailedProbe();
        assertThat(relay().ledger()).isEqualTo(new Ledger(Counts.NONE, CHUNK));
        start();
        assertNothingLost(events);
    }

    @Test
    void refused_events_are_dead_and_the_others_go_on() {
        if (has(Limitation.REFUSES_NOTHING)) {
            assertThatThrownBy(fixture()::refused).isInstanceOf(UnsupportedOperationException.class);
            return;
        }
        List<Event> events = events(CHUNK);
        List<Event> all = new ArrayList<>(events);
        Event refused = fixture().refused().id(drawId());
        all.add(CHUNK / 2, refused);
        startRelay();
        append(all);
        assertLedger(new Counts(CHUNK, 0, 0, 1, 0, 0));
        assertThat(relay().dead()).singleElement().satisfies(dead -> {
            assertThat(dead.id()).isEqualTo(refused.id());
            assertThat(dead.error()).contains(fixture().refusal());
            assertThat(dead.attempt()).as("attempts").isEqualTo(1);
        });
        assertArrivedInOrder(events);
        assertThat(arrivedOf(List.of(refused))).isEmpty();
    }

    // ---- events -----------------------------------------------------------------------------------------------------

    private List<Event> events(int count) {
        return IntStream.range(0, count)
                .mapToObj(number -> Event.of(DestinationSuite.TYPE, "letter " + number)
                        .key(name + "-" + number % KEYS)
                        .id(drawId()))
                .toList();
    }

    private static List<List<Event>> chunks(List<Event> events) {
        List<List<Event>> chunks = new ArrayList<>();
        for (int from = 0; from < events.size(); from += CHUNK) {
            chunks.add(events.subList(from, Math.min(events.size(), from + CHUNK)));
        }
        return chunks;
    }

    // ---- the node ---------------------------------------------------------------------------------------------------

    private void startRelay() {
        relay = Relay.start(store(), watched);
    }

    private Relay<?> relay() {
        return Objects.requireNonNull(relay, "the relay is started first");
    }

    private void append(List<Event> events) {
        relay().append(events);
    }

    /** The first half is in the log and some of it has arrived. */
    private void relayUntilSome(List<Event> events) {
        startRelay();
        List<List<Event>> half = chunks(events.subList(0, events.size() / 2));
        half.subList(0, half.size() / 2).forEach(this::append);
        eventually().holds(() -> assertThat(watched.delivered()).isGreaterThanOrEqualTo(BEFORE));
        half.subList(half.size() / 2, half.size()).forEach(this::append);
    }

    /** The other half comes while the server is away, and waits. */
    private void awaitDown(List<Event> events) {
        chunks(events.subList(events.size() / 2, events.size())).forEach(this::append);
        awaitFailedProbe();
        Ledger ledger = relay().ledger();
        assertThat(ledger.appended()).isEqualTo(events.size());
        assertThat(ledger.counts()).isEqualTo(new Counts(ledger.counts().delivered(), 0, 0, 0, 0, 0));
        assertThat(ledger.pending()).isGreaterThanOrEqualTo(events.size() / 2);
    }

    private void awaitFailedProbe() {
        eventually()
                .holds(() -> assertThat(watched.failedProbes())
                        .as("probes that failed")
                        .isPositive());
        DestinationStatus status = relay().status();
        assertThat(status.name()).endsWith(" (" + destination.kind() + ")");
        assertThat(status.isUp()).isFalse();
        assertThat(status.why()).isNotBlank();
    }

    // ---- what came of it --------------------------------------------------------------------------------------------

    private void assertLedger(Counts counts) {
        eventually().holds(() -> assertThat(relay().ledger()).isEqualTo(new Ledger(counts, 0)));
    }

    private void assertAllDelivered(int events) {
        assertLedger(new Counts(events, 0, 0, 0, 0, 0));
    }

    private void assertNothingLost(List<Event> events) {
        assertAllDelivered(events.size());
        assertThat(relay().status().isUp()).isTrue();
        eventually().holds(() -> {
            assertThat(relay().observed(Observation.DestinationDown.class)).isNotEmpty();
            assertThat(relay().observed(Observation.DestinationUp.class)).isNotEmpty();
        });
        assertThat(relay().rows()).as("what did not settle at once").isEmpty();
        assertThat(watched.highestAttempt()).as("attempts counted").isEqualTo(1);
        if (has(Limitation.KEEPS_NOTHING)) {
            assertOrdered(events); // what came before the fixture listened again is gone
        } else {
            assertArrivedInOrder(events);
        }
        assertRepeatedOnlyWhatWasUnderWay(events);
        assertBounded();
    }

    /** Each time it was down, nobody knew of those. */
    private void assertRepeatedOnlyWhatWasUnderWay(List<Event> events) {
        long outages = relay().observed(Observation.DestinationDown.class).size();
        assertThat(repeated(events))
                .as("events that arrived again")
                .isLessThanOrEqualTo(outages * destination.profile().window());
    }

    private void assertBounded() {
        Destination.Profile profile = destination.profile();
        assertThat(watched.mostUnderWay()).as("under way").isBetween(1, profile.window());
        assertThat(watched.largestBatch()).as("in one dispatch").isBetween(1, profile.batch());
        assertThat(watched.keysOverlapped()).as("two of one key at once").isFalse();
    }

    private void assertArrivedInOrder(List<Event> events) {
        onTheServer().holds(() -> assertThat(distinct(events)).hasSize(events.size()));
        assertOrdered(events);
    }

    /** Of each key, what has arrived came in the order of the log, each event counted when it came first. */
    private void assertOrdered(List<Event> events) {
        Map<String, Integer> numbers = new LinkedHashMap<>();
        events.forEach(event -> numbers.put(String.valueOf(event.id()), numbers.size()));
        Map<String, List<Integer>> byKey = new LinkedHashMap<>();
        for (String id : distinct(events)) {
            int number = Objects.requireNonNull(numbers.get(id));
            byKey.computeIfAbsent(String.valueOf(events.get(number).key()), key -> new ArrayList<>())
                    .add(number);
        }
        assertThat(byKey).isNotEmpty();
        byKey.forEach((key, order) -> assertThat(order).as("order of " + key).isSorted());
    }

    private List<String> distinct(List<Event> events) {
        return arrivedOf(events).stream().map(Arrived::id).distinct().toList();
    }

    private long repeated(List<Event> events) {
        List<Arrived> arrived = arrivedOf(events);
        return arrived.size() - arrived.stream().map(Arrived::id).distinct().count();
    }

    private List<Arrived> arrivedOf(List<Event> events) {
        Set<String> ids = new HashSet<>();
        events.forEach(event -> ids.add(String.valueOf(event.id())));
        return fixture().arrived().stream()
                .filter(arrived -> ids.contains(arrived.id()))
                .toList();
    }
}
