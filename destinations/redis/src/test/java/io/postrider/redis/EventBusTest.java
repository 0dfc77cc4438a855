package io.postrider.redis;

import static io.postrider.redis.Letters.dispatch;
import static io.postrider.redis.Letters.letter;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lettuce.core.protocol.CommandType;
import io.postrider.Headers;
import io.postrider.StoredEvent;
import io.postrider.tck.Eventually;
import io.postrider.tck.Speechless;
import io.postrider.tck.server.RedisServer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EventBusTest {
    private final Eventually eventually = new Eventually(Onlooker.PATIENCE);
    private final List<BusEvent> heard = new CopyOnWriteArrayList<>();
    private final List<EventBus.Gap> gaps = new CopyOnWriteArrayList<>();

    private RedisServer server;
    private RedisConfig redis;
    private RedisBus sender;
    private EventBus bus;

    @BeforeEach
    void start(@TempDir Path folder) {
        server = RedisServer.in(folder).start();
        redis = RedisConfig.at("127.0.0.1", server.port()).connectWithin(Duration.ofSeconds(3));
        sender = RedisBus.open(redis);
        bus = open(EventBusConfig.defaults());
    }

    private EventBus open(EventBusConfig config) {
        EventBus opened = EventBus.open(redis, config.heartbeat(Duration.ofMillis(100)));
        opened.onGap(gaps::add);
        return opened;
    }

    @AfterEach
    void stop() {
        bus.close();
        sender.close();
        server.close();
    }

    private List<String> heardIds() {
        return heard.stream().map(BusEvent::eventId).toList();
    }

    private static String id(StoredEvent event) {
        return event.id().toString();
    }

    @Test
    void a_handler_is_called_with_the_events_of_its_type_and_no_others() throws Exception {
        bus.subscribe("letter.sent", heard::add);
        StoredEvent other = letter("letter.returned", "ann", "1", Headers.NONE);
        StoredEvent event = letter("letter.sent", "ann", "{\"to\":\"bob\"}", Headers.NONE.with("userId", "eve"));
        dispatch(sender, other, event);
        eventually.holds(() -> assertThat(heardIds()).containsExactly(id(event)));
        assertThat(heard.get(0).payload()).isEqualTo("{\"to\":\"bob\"}");
        assertThat(heard.get(0).aggregateId()).isEqualTo("ann");
        assertThat(heard.get(0).userId()).contains("eve");
    }

    @Test
    void a_handler_whose_exception_cannot_tell_of_itself_keeps_no_other_from_its_events() throws Exception {
        bus.subscribe("letter.sent", event -> {
            throw new Speechless();
        });
        bus.subscribe("letter.sent", heard::add);
        StoredEvent event = letter("letter.sent", "ann", "1", Headers.NONE);
        dispatch(sender, event);
        eventually.holds(() -> assertThat(heardIds()).containsExactly(id(event)));
    }

    @Test
    void a_star_stands_for_anything_but_a_dot_and_two_for_anything() throws Exception {
        List<String> one = new CopyOnWriteArrayList<>();
        List<String> two = new CopyOnWriteArrayList<>();
        bus.subscribe("letter.*", event -> one.add(event.eventType()));
        bus.subscribe("letter.**", event -> two.add(event.eventType()));
        for (String type : List.of("letter.sent", "letter.sent.twice", "parcel.sent")) {
            dispatch(sender, letter(type, "ann", "1", Headers.NONE));
        }
        eventually.holds(() -> assertThat(two).containsExactly("letter.sent", "letter.sent.twice"));
        eventually.holds(() -> assertThat(one).containsExactly("letter.sent"));
    }

    @Test
    void letters_that_mean_something_in_a_pattern_of_redis_mean_themselves() throws Exception {
        bus.subscribe("a[bc]?*", heard::add);
        StoredEvent event = letter("a[bc]?d", "ann", "1", Headers.NONE);
        dispatch(sender, letter("abxd", "ann", "1", Headers.NONE), event);
        eventually.holds(() -> assertThat(heardIds()).containsExactly(id(event)));
    }

    @Test
    void a_closed_subscription_hears_nothing_and_others_of_its_type_go_on() throws Exception {
        EventBus.Subscription first = bus.subscribe("letter.sent", event -> {
            throw new AssertionError("it was closed");
        });
        bus.subscribe("letter.sent", heard::add);
        first.close();
        first.close();
        dispatch(sender, letter("ann", "text"));
        eventually.holds(() -> assertThat(heard).hasSize(1));
        assertThat(bus.counts().failed()).isZero();
    }

    @Test
    void events_of_one_key_are_handled_in_their_order_by_several_workers() throws Exception {
        bus.close();
        bus = open(EventBusConfig.defaults().workers(4));
        bus.subscribe("letter.sent", heard::add);
        int events = 500;
        for (int i = 0; i < events; i++) {
            dispatch(sender, letter("key-" + i % 7, "" + i));
        }
        eventually.holds(() -> assertThat(heard).hasSize(events));
        for (int key = 0; key < 7; key++) {
            String name = "key-" + key;
            assertThat(heard.stream().filter(event -> name.equals(event.aggregateId())))
                    .isSortedAccordingTo((a, b) -> number(a) - number(b));
        }
    }

    private static int number(BusEvent event) {
        return Integer.parseInt(event.payload().replace("\"", ""));
    }

    @Test
    void a_handler_that_throws_is_counted_and_stops_neither_others_nor_itself() throws Exception {
        bus.subscribe("letter.sent", event -> {
            throw new IllegalStateException("broken");
        });
        bus.subscribe("letter.sent", heard::add);
        dispatch(sender, letter("ann", "one"));
        dispatch(sender, letter("ann", "two"));
        eventually.holds(() -> assertThat(heard).hasSize(2));
        eventually.holds(() -> {
            assertThat(bus.counts().failed()).isEqualTo(2);
            assertThat(bus.counts().handled()).isEqualTo(2);
        });
    }

    @Test
    void a_message_that_is_no_event_is_counted_and_skipped() throws Exception {
        bus.subscribe("letter.sent", heard::add);
        try (Onlooker onlooker = Onlooker.of(server)) {
            onlooker.redis().publish("events.letter.sent", "{not json");
        }
        dispatch(sender, letter("ann", "text"));
        eventually.holds(() -> assertThat(heard).hasSize(1));
        assertThat(bus.counts().unreadable()).isEqualTo(1);
        assertThat(bus.counts().received()).isEqualTo(2);
    }

    @Test
    void beyond_queued_max_events_are_dropped_and_counted_and_told_of_once() throws Exception {
        bus.close();
        bus = open(EventBusConfig.defaults().queuedMax(10));
        CountDownLatch entered = new CountDownLatch(1);
        CountDownLatch gate = new CountDownLatch(1);
        bus.subscribe("letter.sent", event -> {
            entered.countDown();
            gate.await(20, TimeUnit.SECONDS);
            heard.add(event);
        });
        dispatch(sender, letter("ann", "first"));
        assertThat(entered.await(20, TimeUnit.SECONDS)).isTrue();
        for (int i = 0; i < 30; i++) {
            dispatch(sender, letter("ann", "" + i));
        }
        eventually.holds(() -> assertThat(bus.counts().dropped()).isEqualTo(20));
        gate.countDown();
        eventually.holds(() -> assertThat(heard).hasSize(11));
        eventually.holds(() -> assertThat(gaps)
                .singleElement()
                .satisfies(gap -> assertThat(gap.why()).contains("queuedMax").contains("10")));
        assertThat(bus.counts().gaps()).isEqualTo(1);
    }

    @Test
    void after_a_crash_of_the_server_it_listens_again_and_says_what_time_was_missed() throws Exception {
        bus.subscribe("letter.sent", heard::add);
        bus.subscribe("letter.*", heard::add);
        server.kill();
        server.start();
        eventually.holds(() -> assertThat(gaps).hasSize(1));
        assertThat(gaps.get(0).from()).isBefore(gaps.get(0).to());
        eventually.holds(() -> Letters.probe(sender));
        dispatch(sender, letter("ann", "text"));
        eventually.holds(() -> assertThat(heard).hasSize(2));
        assertThat(bus.counts().gaps()).isEqualTo(1);
    }

    @Test
    void a_server_that_answers_nothing_is_noticed_although_nobody_sends() {
        bus.subscribe("letter.sent", heard::add);
        server.pauseProcess();
        eventually.holds(() -> assertThat(bus.isListening()).isFalse());
        server.resumeProcess();
        eventually.holds(() -> assertThat(gaps).hasSize(1));
        eventually.holds(() -> assertThat(bus.isListening()).isTrue());
    }

    @Test
    void what_is_subscribed_while_the_server_is_away_is_heard_when_it_is_back() throws Exception {
        server.kill();
        eventually.holds(() -> assertThat(bus.isListening()).isFalse());
        bus.subscribe("letter.sent", heard::add);
        server.start();
        eventually.holds(() -> assertThat(bus.isListening()).isTrue());
        eventually.holds(() -> Letters.probe(sender));
        dispatch(sender, letter("ann", "text"));
        eventually.holds(() -> assertThat(heard).hasSize(1));
    }

    @Test
    void it_can_be_opened_while_the_server_is_away() throws Exception {
        bus.close();
        server.kill();
        bus = open(EventBusConfig.defaults());
        bus.subscribe("letter.sent", heard::add);
        server.start();
        eventually.holds(() -> assertThat(bus.isListening()).isTrue());
        eventually.holds(() -> Letters.probe(sender));
        dispatch(sender, letter("ann", "text"));
        eventually.holds(() -> assertThat(heard).hasSize(1));
    }

    @Test
    void a_channel_that_the_server_forbids_is_a_clear_error() {
        try (Onlooker onlooker = Onlooker.of(server)) {
            onlooker.send(CommandType.ACL, "SETUSER", "reader", "on", ">secret", "+@all", "&events.letter.sent");
        }
        try (EventBus limited = EventBus.open(redis.user("reader", "secret"))) {
            limited.subscribe("letter.sent", heard::add);
            assertThatThrownBy(() -> limited.subscribe("letter.returned", heard::add))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("events.letter.returned")
                    .hasMessageContaining("NOPERM");
        }
    }

    @Test
    void a_pattern_that_says_nothing_and_limits_that_bound_nothing_are_refused() {
        assertThatThrownBy(() -> bus.subscribe(" ", heard::add)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> EventBusConfig.defaults().queuedMax(0)).hasMessageContaining("queuedMax");
        assertThatThrownBy(() -> EventBusConfig.defaults().workers(0)).hasMessageContaining("workers");
    }
}
