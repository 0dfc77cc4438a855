package io.postrider.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.postrider.StoredEvent;
import io.postrider.destination.Outcome;
import io.postrider.destination.Source;
import io.postrider.destination.SourceException;
import io.postrider.kafka.testing.KafkaBroker;
import io.postrider.memory.MemoryStore;
import io.postrider.tck.Eventually;
import io.postrider.tck.destination.RoundTrip;
import io.postrider.wire.Incoming;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Messages come until they are acknowledged, against a real broker. */
class KafkaSourceTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration WAIT = Duration.ofMillis(200);

    private static KafkaBroker broker;

    private final String topic = "letters-" + UUID.randomUUID();
    private final List<Source> opened = new ArrayList<>();

    @BeforeAll
    static void start(@TempDir Path folder) {
        broker = KafkaBroker.start(folder);
    }

    @AfterAll
    static void stop() {
        broker.close();
    }

    @BeforeEach
    void createTopic() {
        broker.createTopic(topic, 2, Map.of());
    }

    @AfterEach
    void closeSources() {
        opened.forEach(Source::close);
    }

    private KafkaSourceConfig config() {
        return KafkaSourceConfig.of(List.of(broker.address()), "group-of-" + topic, topic)
                .limits(KafkaSourceLimits.DEFAULT.answerWithin(Duration.ofSeconds(2)))
                .property("session.timeout.ms", "3000")
                .property("heartbeat.interval.ms", "500");
    }

    private KafkaSource open(KafkaSourceConfig config) {
        KafkaSource source = KafkaSource.open(config);
        opened.add(source);
        return source;
    }

    // ---- what comes -------------------------------------------------------------------------------------------------

    @Test
    void what_a_destination_has_sent_comes_as_the_event_it_was() throws Exception {
        StoredEvent event = Stored.event("letter.sent", "ann", "{\"pages\":3}");
        try (KafkaDestination destination =
                KafkaDestination.open(KafkaConfig.of(List.of(broker.address()), TopicRules.others(topic)))) {
            assertThat(Stored.dispatch(destination, event)).containsExactly(Outcome.DELIVERED);
        }
        Incoming incoming = pull(open(config()), 1).get(0).incoming();
        assertThat(incoming.id()).isEqualTo(event.id().toString());
        assertThat(incoming.event().type()).isEqualTo("letter.sent");
        assertThat(incoming.event().key()).isEqualTo("ann");
    }

    @Test
    void what_somebody_else_has_sent_is_known_by_its_place() throws Exception {
        Records.send(broker, topic, "ann", "{}");
        Incoming incoming = pull(open(config()), 1).get(0).incoming();
        assertThat(incoming.id()).matches(topic + "-[01]-0");
        assertThat(incoming.event().type()).isEqualTo(topic);
        assertThat(incoming.event().key()).isEqualTo("ann");
    }

    @Test
    void a_record_without_a_value_is_null_and_one_that_is_no_text_cannot_be_read() throws Exception {
        Records.send(broker, topic, "gone", (byte[]) null);
        KafkaSource source = open(config());
        Source.Arrival gone = pull(source, 1).get(0);
        assertThat(gone.incoming().event().payload()).hasToString("Json[text=null]");
        gone.ack();
        Records.send(broker, topic, "binary", new byte[] {(byte) 0xC3, (byte) 0x28});
        Source.Arrival binary = pull(source, 1).get(0);
        assertThatThrownBy(binary::incoming).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void the_messages_of_a_key_come_in_their_order() throws Exception {
        for (int i = 0; i < 500; i++) {
            Records.send(broker, topic, "ann", "" + i);
        }
        List<String> texts = new ArrayList<>();
        for (Source.Arrival arrival : pull(open(config()), 500)) {
            texts.add(text(arrival));
        }
        assertThat(texts)
                .hasSize(500)
                .isSortedAccordingTo((one, other) -> Integer.parseInt(one) - Integer.parseInt(other));
    }

    // ---- answers ----------------------------------------------------------------------------------------------------

    @Test
    void what_is_acknowledged_does_not_come_again_and_the_rest_does() throws Exception {
        for (String text : List.of("0", "1", "2", "3")) {
            Records.send(broker, topic, "ann", text);
        }
        KafkaSource first = open(config());
        List<Source.Arrival> arrivals = pull(first, 4);
        arrivals.get(0).ack();
        arrivals.get(1).ack();
        arrivals.get(3).ack();
        first.close();
        KafkaSource second = open(config());
        List<Source.Arrival> again = pull(second, 2);
        assertThat(texts(again)).as("the offset does not pass 2").containsExactly("2", "3");
        assertThat(again).allSatisfy(arrival -> assertThat(arrival.attempt()).isEqualTo(1));
    }

    @Test
    void what_is_to_come_again_does_so_from_memory_not_before_its_time_and_is_not_committed() throws Exception {
        Records.send(broker, topic, "ann", "0");
        Records.send(broker, topic, "ann", "1");
        KafkaSource source = open(config());
        List<Source.Arrival> arrivals = pull(source, 2);
        long before = System.nanoTime();
        arrivals.get(0).nak(Duration.ofMillis(700));
        arrivals.get(1).ack();
        Source.Arrival again = pull(source, 1).get(0);
        assertThat(Duration.ofNanos(System.nanoTime() - before)).isGreaterThanOrEqualTo(Duration.ofMillis(700));
        assertThat(text(again)).isEqualTo("0");
        assertThat(again.attempt()).isEqualTo(2);
        source.close();
        assertThat(texts(pull(open(config()), 2))).containsExactly("0", "1");
    }

    @Test
    void only_the_first_answer_counts() throws Exception {
        Records.send(broker, topic, "ann", "0");
        KafkaSource source = open(config());
        Source.Arrival arrival = pull(source, 1).get(0);
        arrival.ack();
        arrival.nak(Duration.ZERO);
        arrival.term("twice");
        assertThat(source.pull(1, Duration.ofMillis(500))).isEmpty();
        assertThat(source.givenUp()).isZero();
    }

    @Test
    void what_is_given_up_is_counted_and_does_not_come_again() throws Exception {
        Records.send(broker, topic, "ann", "0");
        Records.send(broker, topic, "ann", "1");
        KafkaSource source = open(config());
        pull(source, 2).get(0).term("nobody can read it");
        assertThat(source.givenUp()).isEqualTo(1);
        source.close();
        assertThat(texts(pull(open(config()), 1))).containsExactly("1");
    }

    @Test
    void what_is_given_up_is_in_the_dead_topic_with_the_reason() throws Exception {
        String dead = topic + ".dead";
        broker.createTopic(dead, 1, Map.of());
        Records.send(broker, topic, "ann", "\"unreadable\"");
        KafkaSource source = open(config().deadTopic(dead));
        pull(source, 1).get(0).term("nobody can read it");
        new Eventually(PATIENCE).holds(() -> assertThat(source.givenUp()).isEqualTo(1));
        assertThat(TopicReader.read(broker.address(), List.of(dead)))
                .singleElement()
                .satisfies(record -> {
                    assertThat(TopicReader.value(record)).isEqualTo("\"unreadable\"");
                    assertThat(record.key()).asString().isEqualTo("ann");
                    assertThat(TopicReader.headers(record))
                            .containsEntry(DeadMessages.REASON, "nobody can read it")
                            .hasEntrySatisfying(
                                    DeadMessages.ORIGIN,
                                    place -> assertThat(place).startsWith(topic));
                });
    }

    // ---- limits -----------------------------------------------------------------------------------------------------

    @Test
    void it_holds_no_more_than_its_limit_and_goes_on_when_there_is_room() throws Exception {
        for (int i = 0; i < 100; i++) {
            Records.send(broker, topic, "key-" + i, "" + i);
        }
        KafkaSource source = open(config().limits(config().limits().unacknowledged(10)));
        List<Source.Arrival> held = new ArrayList<>(pull(source, 6));
        for (List<Source.Arrival> more = source.pull(100, Duration.ofSeconds(1));
                !more.isEmpty();
                more = source.pull(100, Duration.ofSeconds(1))) {
            held.addAll(more);
        }
        assertThat(held).hasSizeBetween(6, 10);
        held.forEach(Source.Arrival::ack);
        Set<String> texts = new LinkedHashSet<>(texts(held));
        while (texts.size() < 100) {
            List<Source.Arrival> more = pull(source, 1);
            texts.addAll(texts(more));
            more.forEach(Source.Arrival::ack);
        }
    }

    @Test
    void long_work_does_not_lose_the_partition() throws Exception {
        Records.send(broker, topic, "ann", "0");
        KafkaSource source = open(config().property("max.poll.interval.ms", "3000"));
        Source.Arrival slow = pull(source, 1).get(0);
        slow.working();
        long deadline = System.nanoTime() + Duration.ofSeconds(6).toNanos();
        new Eventually(PATIENCE).holds(() -> assertThat(System.nanoTime()).isGreaterThan(deadline));
        slow.ack();
        source.close();
        assertThat(open(config()).pull(1, Duration.ofSeconds(3))).isEmpty();
    }

    // ---- words ------------------------------------------------------------------------------------------------------

    /** Pulls until there are as many, or patience is over. */
    static List<Source.Arrival> pull(Source source, int count) throws InterruptedException {
        List<Source.Arrival> arrivals = new ArrayList<>();
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (arrivals.size() < count && System.nanoTime() < deadline) {
            try {
                arrivals.addAll(source.pull(count - arrivals.size(), WAIT));
            } catch (SourceException e) {
                assertThat(e.getMessage()).isNotBlank();
            }
        }
        assertThat(arrivals).as("what was pulled").hasSize(count);
        return arrivals;
    }

    static List<String> texts(List<Source.Arrival> arrivals) {
        return arrivals.stream().map(KafkaSourceTest::text).toList();
    }

    static String text(Source.Arrival arrival) {
        return ((io.postrider.Payload.Json) arrival.incoming().event().payload()).text();
    }

    @Test
    void from_one_log_to_another_everything_arrives_once_in_order_and_with_its_trace() throws Exception {
        try (var trip = RoundTrip.between(MemoryStore.create(), MemoryStore.create());
                KafkaDestination destination =
                        KafkaDestination.open(KafkaConfig.of(List.of(broker.address()), TopicRules.others(topic)))) {
            trip.receive(open(config()));
            trip.assertArrives(destination);
        }
    }
}
