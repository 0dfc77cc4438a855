package io.postrider.redis;

import static io.postrider.redis.Letters.dispatch;
import static io.postrider.redis.Letters.letter;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lettuce.core.Range;
import io.postrider.Event;
import io.postrider.Headers;
import io.postrider.Payload;
import io.postrider.StoredEvent;
import io.postrider.destination.Source;
import io.postrider.destination.SourceException;
import io.postrider.memory.MemoryStore;
import io.postrider.tck.Eventually;
import io.postrider.tck.destination.RoundTrip;
import io.postrider.tck.server.Folders;
import io.postrider.tck.server.RedisServer;
import io.postrider.wire.Incoming;
import io.postrider.wire.UndecodableException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RedisStreamSourceTest {
    private static final Duration SHORT = Duration.ofMillis(100);
    private static final Duration LONG = Duration.ofSeconds(10);

    private final Eventually eventually = new Eventually(Onlooker.PATIENCE);
    private final List<RedisStreamSource> sources = new ArrayList<>();
    private RedisServer server;
    private Onlooker onlooker;
    private RedisConfig redis;
    private RedisStreamDestination destination;

    @TempDir
    Path temporary;

    private Path folder;

    @BeforeEach
    void start() {
        folder = temporary.resolve("redis");
        server = RedisServer.in(folder).start();
        onlooker = Onlooker.of(server);
        redis = RedisConfig.at("127.0.0.1", server.port()).connectWithin(Duration.ofSeconds(3));
        destination = RedisStreamDestination.open(redis);
    }

    @AfterEach
    void stop() {
        sources.forEach(RedisStreamSource::close);
        destination.close();
        onlooker.close();
        server.close();
    }

    private static RedisStreamSourceConfig config() {
        return RedisStreamSourceConfig.of("events", "readers").patience(Duration.ofSeconds(2));
    }

    private RedisStreamSource open(RedisStreamSourceConfig config) {
        RedisStreamSource source = RedisStreamSource.open(redis, config);
        sources.add(source);
        return source;
    }

    private List<StoredEvent> append(int count) throws Exception {
        List<StoredEvent> events = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            events.add(letter("ann", "letter " + i));
        }
        dispatch(destination, events.toArray(StoredEvent[]::new));
        return events;
    }

    private static List<String> ids(List<Source.Arrival> arrivals) {
        return arrivals.stream().map(arrival -> arrival.incoming().id()).toList();
    }

    private static String[] idsOf(List<StoredEvent> events) {
        return events.stream().map(event -> event.id().toString()).toArray(String[]::new);
    }

    /** The group's position is in the stream itself, and goes back with it. */
    @Test
    void a_stream_that_went_back_gives_what_comes_then() throws Exception {
        List<StoredEvent> kept = append(8);
        assertThat(ids(acknowledgedOf(open(config()), 8))).containsExactly(idsOf(kept));
        awaitNothingPending();
        server.stop();
        Folders.copy(folder, folder.resolveSibling("copy"));
        server.start();
        eventually.holds(() -> Letters.probe(destination));
        append(4);
        assertThat(acknowledgedOf(open(config()), 4)).hasSize(4);
        awaitNothingPending();
        server.stop();
        Folders.delete(folder);
        Folders.copy(folder.resolveSibling("copy"), folder);
        server.start();
        eventually.holds(() -> Letters.probe(destination));
        List<StoredEvent> later = append(3);
        assertThat(ids(acknowledgedOf(open(config()), 3))).containsExactly(idsOf(later));
    }

    private List<Source.Arrival> acknowledgedOf(RedisStreamSource source, int count) {
        List<Source.Arrival> arrivals = new ArrayList<>();
        eventually.holds(() -> {
            try {
                List<Source.Arrival> pulled = source.pull(count - arrivals.size(), SHORT);
                pulled.forEach(Source.Arrival::ack);
                arrivals.addAll(pulled);
            } catch (SourceException e) {
                throw new AssertionError(e);
            }
            assertThat(arrivals).hasSize(count);
        });
        return arrivals;
    }

    private void awaitNothingPending() {
        eventually.holds(
                () -> assertThat(onlooker.redis().xpending("events", "readers").getCount())
                        .isZero());
    }

    @Test
    void what_a_destination_has_written_is_read_as_it_was() throws Exception {
        Headers headers = Headers.NONE.with(Headers.CORRELATION_ID, "order-7").with("note", "Grüße, 📯");
        StoredEvent event = letter("letter.sent", "ann", "{\"price\": 1.10}", headers);
        dispatch(destination, event);
        List<Source.Arrival> arrivals = open(config()).pull(10, LONG);
        assertThat(ids(arrivals)).containsExactly(event.id().toString());
        Event read = arrivals.get(0).incoming().event();
        assertThat(read)
                .isEqualTo(Event.of("letter.sent", Payload.json("{\"price\": 1.10}"))
                        .key("ann")
                        .headers(headers)
                        .id(event.id()));
        assertThat(arrivals.get(0).attempt()).isEqualTo(1);
    }

    @Test
    void its_name_is_the_stream_and_the_group() {
        assertThat(open(config()).name()).isEqualTo("redis:events/readers");
    }

    @Test
    void entries_come_in_their_order_as_many_as_wanted_and_acknowledged_ones_not_again() throws Exception {
        List<StoredEvent> events = append(5);
        RedisStreamSource source = open(config().claimAfter(SHORT));
        List<Source.Arrival> first = source.pull(3, LONG);
        List<Source.Arrival> rest = source.pull(3, LONG);
        List<Source.Arrival> all = new ArrayList<>(first);
        all.addAll(rest);
        assertThat(first).hasSize(3);
        assertThat(ids(all)).containsExactly(idsOf(events));
        all.forEach(Source.Arrival::ack);
        awaitNothingPending();
        assertThat(source.pull(10, SHORT.multipliedBy(3))).isEmpty();
    }

    @Test
    void a_pull_waits_for_an_entry() throws Exception {
        RedisStreamSource source = open(config());
        assertThat(source.pull(1, Duration.ZERO)).isEmpty();
        assertThat(source.pull(1, SHORT)).isEmpty();
        Thread writer = new Thread(() -> {
            try {
                append(1);
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        });
        writer.start();
        assertThat(source.pull(1, LONG)).hasSize(1);
        writer.join();
    }

    @Test
    void a_group_begins_with_what_is_there_or_with_what_comes() throws Exception {
        append(2);
        RedisStreamSource later =
                open(RedisStreamSourceConfig.of("events", "later").fromBeginning(false));
        assertThat(later.pull(10, SHORT)).isEmpty();
        List<StoredEvent> events = append(1);
        assertThat(ids(later.pull(10, LONG))).containsExactly(idsOf(events));
        assertThat(open(config()).pull(10, LONG)).hasSize(3);
    }

    @Test
    void an_entry_that_is_not_wanted_now_comes_again_after_its_time_with_another_attempt() throws Exception {
        append(1);
        RedisStreamSource source = open(config());
        long due = System.nanoTime();
        for (int attempt = 1; attempt <= 3; attempt++) {
            List<Source.Arrival> arrivals = source.pull(10, LONG);
            assertThat(System.nanoTime() - due).isGreaterThanOrEqualTo(0);
            assertThat(arrivals).hasSize(1);
            assertThat(arrivals.get(0).attempt()).isEqualTo(attempt);
            due = System.nanoTime() + SHORT.multipliedBy(3).toNanos();
            arrivals.get(0).nak(SHORT.multipliedBy(3));
        }
    }

    @Test
    void nobody_else_gets_an_entry_that_is_held_however_long() throws Exception {
        append(1);
        RedisStreamSource one = open(config().claimAfter(Duration.ofMillis(1_500)));
        RedisStreamSource other = open(config().claimAfter(Duration.ofMillis(1_500)));
        one.pull(1, LONG).get(0).nak(Duration.ofSeconds(7));
        long until = System.nanoTime() + Duration.ofSeconds(4).toNanos();
        while (System.nanoTime() - until < 0) {
            assertThat(one.pull(10, Duration.ofMillis(50))).isEmpty();
            assertThat(other.pull(10, Duration.ofMillis(50))).isEmpty();
        }
        assertThat(one.pull(10, LONG))
                .singleElement()
                .satisfies(arrival -> assertThat(arrival.attempt()).isEqualTo(2));
    }

    @Test
    void beyond_held_max_nothing_new_is_read() throws Exception {
        append(3);
        RedisStreamSource source = open(config().heldMax(1));
        source.pull(1, LONG).get(0).nak(Duration.ofSeconds(2));
        assertThat(source.pull(10, SHORT)).isEmpty();
        List<Source.Arrival> again = source.pull(1, LONG);
        assertThat(again.get(0).attempt()).isEqualTo(2);
        again.get(0).ack();
        assertThat(source.pull(10, LONG)).hasSize(2);
    }

    @Test
    void what_a_dead_consumer_owes_goes_to_another_with_its_attempts() throws Exception {
        List<StoredEvent> events = append(3);
        RedisStreamSource dying = open(config().consumer("dying"));
        dying.pull(2, LONG);
        dying.close();
        RedisStreamSource other = open(config().claimAfter(SHORT));
        Set<String> got = new LinkedHashSet<>();
        List<Integer> attempts = new ArrayList<>();
        while (got.size() < 3) {
            for (Source.Arrival arrival : other.pull(10, LONG)) {
                got.add(arrival.incoming().id());
                attempts.add(arrival.attempt());
                arrival.ack();
            }
        }
        assertThat(got).containsExactlyInAnyOrder(idsOf(events));
        assertThat(attempts).containsExactlyInAnyOrder(1, 2, 2);
        awaitNothingPending();
    }

    @Test
    void what_is_still_worked_on_goes_to_nobody_else() throws Exception {
        append(1);
        RedisStreamSource one = open(config());
        RedisStreamSource other = open(config().claimAfter(Duration.ofSeconds(2)));
        Source.Arrival slow = one.pull(1, LONG).get(0);
        for (int i = 0; i < 30; i++) {
            slow.working();
            assertThat(other.pull(10, SHORT)).isEmpty();
        }
        assertThat(other.pull(10, LONG)).as("once nobody says so any more").hasSize(1);
    }

    @Test
    void what_is_not_to_come_again_is_kept_in_another_stream_with_the_reason() throws Exception {
        List<StoredEvent> events = append(1);
        RedisStreamSource source = open(config().claimAfter(SHORT));
        source.pull(1, LONG).get(0).term("no such address");
        awaitNothingPending();
        assertThat(source.pull(1, SHORT.multipliedBy(3))).isEmpty();
        assertThat(onlooker.redis().xrange("events.dead", Range.unbounded()))
                .singleElement()
                .satisfies(dead -> assertThat(dead.getBody())
                        .containsEntry("id", idsOf(events)[0])
                        .containsEntry("body", "\"letter 0\"")
                        .containsEntry("dead:reason", "no such address")
                        .containsEntry("dead:stream", "events")
                        .containsEntry("dead:group", "readers")
                        .containsKey("dead:entry"));
    }

    @Test
    void an_entry_of_which_no_event_can_be_made_says_why_and_can_be_buried() throws Exception {
        onlooker.redis().xadd("events", Map.of("colour", "red"));
        Source.Arrival arrival = open(config()).pull(1, LONG).get(0);
        assertThatThrownBy(arrival::incoming)
                .isInstanceOfSatisfying(
                        UndecodableException.class,
                        error -> assertThat(error.undecoded().headers()).containsEntry("colour", "red"))
                .hasMessageContaining("'body'")
                .hasMessageContaining("colour");
        arrival.term("no body");
        eventually.holds(() -> assertThat(onlooker.redis().xlen("events.dead")).isEqualTo(1));
    }

    @Test
    void what_somebody_else_has_written_is_known_by_its_stream_and_number() throws Exception {
        String entry = onlooker.redis().xadd("events", Map.of("body", "{\"a\":1}"));
        Incoming incoming = open(config()).pull(1, LONG).get(0).incoming();
        assertThat(incoming.id()).isEqualTo("events/" + entry);
        assertThat(incoming.at()).isEqualTo(Instant.ofEpochMilli(Long.parseLong(entry.split("-", -1)[0])));
        assertThat(incoming.event().type()).isEqualTo("events");
        assertThat(incoming.event().payload()).isEqualTo(Payload.json("{\"a\":1}"));
    }

    @Test
    void a_crash_of_the_server_is_told_and_nothing_is_lost() throws Exception {
        List<StoredEvent> events = append(20);
        RedisStreamSource source = open(config().claimAfter(SHORT));
        Set<String> got = new LinkedHashSet<>();
        source.pull(5, LONG).forEach(arrival -> got.add(arrival.incoming().id()));
        server.kill();
        assertThatThrownBy(() -> source.pull(5, LONG))
                .isInstanceOf(SourceException.class)
                .hasMessageContaining("redis:events/readers");
        server.start();
        onlooker.awaitServer();
        got.clear();
        while (got.size() < events.size()) {
            pullOrNothing(source).forEach(arrival -> {
                got.add(arrival.incoming().id());
                arrival.ack();
            });
        }
        assertThat(got).containsExactlyInAnyOrder(idsOf(events));
        awaitNothingPending();
    }

    private static List<Source.Arrival> pullOrNothing(Source source) throws InterruptedException {
        try {
            return source.pull(7, SHORT);
        } catch (SourceException e) {
            return List.of();
        }
    }

    @Test
    void a_server_that_answers_nothing_is_told_of_and_read_again_afterwards() throws Exception {
        RedisStreamSource source =
                open(config().patience(Duration.ofMillis(500)).claimAfter(SHORT));
        assertThat(source.pull(1, Duration.ZERO)).isEmpty();
        server.pauseProcess();
        assertThatThrownBy(() -> source.pull(1, LONG)).isInstanceOf(SourceException.class);
        server.resumeProcess();
        List<StoredEvent> events = append(1);
        List<Source.Arrival> arrivals = new ArrayList<>();
        while (arrivals.isEmpty()) {
            arrivals.addAll(pullOrNothing(source));
        }
        assertThat(ids(arrivals)).containsExactly(idsOf(events));
    }

    @Test
    void a_group_that_is_gone_is_made_again_from_the_beginning() throws Exception {
        RedisStreamSource source = open(config().fromBeginning(false));
        assertThat(source.pull(1, Duration.ZERO)).isEmpty();
        onlooker.redis().del("events");
        List<StoredEvent> events = append(2);
        assertThatThrownBy(() -> source.pull(10, SHORT)).hasMessageContaining("NOGROUP");
        assertThat(ids(source.pull(10, LONG))).containsExactly(idsOf(events));
    }

    @Test
    void a_consumer_that_owes_nothing_leaves_its_group_and_one_that_does_stays() throws Exception {
        append(2);
        RedisStreamSource done = open(config().consumer("done"));
        RedisStreamSource owing = open(config().consumer("owing"));
        done.pull(1, LONG).forEach(Source.Arrival::ack);
        owing.pull(1, LONG).forEach(Source.Arrival::working);
        done.close();
        owing.close();
        assertThat(onlooker.redis().xinfoConsumers("events", "readers").toString())
                .contains("owing")
                .doesNotContain("done");
    }

    @Test
    void from_one_log_to_another_everything_arrives_once_in_order_and_with_its_trace() throws Exception {
        try (var trip = RoundTrip.between(MemoryStore.create(), MemoryStore.create())) {
            trip.receive(open(config()));
            trip.assertArrives(destination);
        }
    }
}
