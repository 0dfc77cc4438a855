package io.postrider.kafka;

import static io.postrider.kafka.KafkaSourceTest.pull;
import static io.postrider.kafka.KafkaSourceTest.text;
import static io.postrider.kafka.KafkaSourceTest.texts;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.postrider.destination.Source;
import io.postrider.destination.SourceException;
import io.postrider.kafka.testing.KafkaBroker;
import io.postrider.tck.Eventually;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Members that come, go and crash, and a broker that does. */
class KafkaGroupTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration WAIT = Duration.ofMillis(200);

    private static KafkaBroker broker;
    private static Path data;

    private final String topic = "letters-" + UUID.randomUUID();
    private final List<Source> opened = new ArrayList<>();

    @BeforeAll
    static void start(@TempDir Path folder) {
        broker = KafkaBroker.start(folder);
        data = folder.resolve("data");
    }

    @AfterAll
    static void stop() {
        broker.close();
    }

    @AfterEach
    void closeSources() {
        opened.forEach(Source::close);
    }

    static KafkaSourceConfig config(String address, String topic) {
        return KafkaSourceConfig.of(List.of(address), "group-of-" + topic, topic)
                .limits(KafkaSourceLimits.DEFAULT.answerWithin(Duration.ofSeconds(2)))
                .property("session.timeout.ms", "3000")
                .property("heartbeat.interval.ms", "500");
    }

    private KafkaSource open() {
        KafkaSource source = KafkaSource.open(config(broker.address(), topic));
        opened.add(source);
        return source;
    }

    @Test
    void a_second_member_gets_its_share_and_answers_of_the_first_to_it_have_no_effect() throws Exception {
        broker.createTopic(topic, 2, Map.of());
        for (int i = 0; i < 20; i++) {
            Records.send(broker, topic, "key-" + i, "" + i);
        }
        KafkaSource first = open();
        List<Source.Arrival> held = pull(first, 20);
        KafkaSource second = open();
        List<Source.Arrival> share = new ArrayList<>();
        new Eventually(PATIENCE).holds(() -> {
            share.addAll(second.pull(20, WAIT));
            first.pull(20, Duration.ZERO);
            assertThat(share).isNotEmpty();
        });
        for (List<Source.Arrival> more = second.pull(20, Duration.ofSeconds(1)); !more.isEmpty(); ) {
            share.addAll(more);
            more = second.pull(20, Duration.ofSeconds(1));
        }
        assertThat(share).as("one of two partitions").hasSizeBetween(1, 19);
        held.forEach(Source.Arrival::ack);
        first.close();
        second.close();
        KafkaSource third = open();
        assertThat(texts(pull(third, share.size())))
                .as("what the second did not acknowledge, although the first did")
                .containsExactlyInAnyOrderElementsOf(texts(share));
    }

    @Test
    void what_a_member_did_not_commit_before_it_crashed_comes_again() throws Exception {
        broker.createTopic(topic, 1, Map.of());
        for (int i = 0; i < 10; i++) {
            Records.send(broker, topic, "ann", "" + i);
        }
        assertThat(CrashingMember.run(broker.address(), topic)).isEqualTo(CrashingMember.CRASHED);
        List<Source.Arrival> again = pull(open(), 5);
        assertThat(text(again.get(0))).as("0 to 4 were committed").isEqualTo("5");
    }

    @Test
    void it_goes_on_where_it_was_when_the_broker_comes_back() throws Exception {
        broker.createTopic(topic, 2, Map.of());
        KafkaSource source = open();
        Set<String> texts = new HashSet<>();
        for (int round = 0; round < 2; round++) {
            for (int i = 0; i < 20; i++) {
                Records.send(broker, topic, "key-" + i, round + "" + (10 + i));
            }
            List<Source.Arrival> arrivals = pull(source, 20);
            texts.addAll(texts(arrivals));
            broker.server().kill();
            arrivals.forEach(Source.Arrival::ack);
            broker.restart();
        }
        Records.send(broker, topic, "last", "999");
        while (!texts.contains("999")) {
            List<Source.Arrival> more = pull(source, 1);
            texts.addAll(texts(more));
        }
        assertThat(texts).hasSize(41);
    }

    @Test
    void a_broker_that_does_not_answer_fails_the_pull_and_is_asked_again() throws Exception {
        broker.createTopic(topic, 1, Map.of());
        KafkaSource source = open();
        Records.send(broker, topic, "ann", "0");
        pull(source, 1).get(0).ack();
        broker.server().pauseProcess();
        try {
            assertThatThrownBy(() -> source.pull(1, PATIENCE))
                    .isInstanceOf(SourceException.class)
                    .hasMessageContaining(broker.address());
        } finally {
            broker.server().resumeProcess();
        }
        Records.send(broker, topic, "ann", "1");
        List<String> after = new ArrayList<>();
        while (!after.contains("1")) {
            after.addAll(texts(pull(source, 1)));
        }
        // The first comes again if its offset was not committed in time.
        assertThat(after).endsWith("1").containsOnlyOnce("1").isSubsetOf("0", "1");
    }

    @Test
    void a_topic_that_does_not_exist_fails_the_pull_until_it_does() throws Exception {
        KafkaSource source = open();
        assertThatThrownBy(() -> source.pull(1, PATIENCE))
                .isInstanceOf(SourceException.class)
                .hasMessageContaining("'" + topic + "' does not exist");
        broker.createTopic(topic, 1, Map.of());
        Records.send(broker, topic, "ann", "0");
        assertThat(text(pull(source, 1).get(0))).isEqualTo("0");
    }

    @Test
    void it_goes_on_with_the_oldest_when_others_were_removed_before_they_were_received() throws Exception {
        broker.createTopic(topic, 1, Map.of());
        for (int i = 0; i < 10; i++) {
            Records.send(broker, topic, "ann", "" + i);
        }
        KafkaSource first = open();
        pull(first, 2).get(0).ack();
        first.close();
        broker.removeBefore(topic, 0, 7);
        assertThat(texts(pull(open(), 3))).containsExactly("7", "8", "9");
    }

    @Test
    void what_it_holds_is_not_lost_when_the_topic_loses_its_beginning() throws Exception {
        broker.createTopic(topic, 1, Map.of());
        KafkaSource source =
                KafkaSource.open(config(broker.address(), topic).limits(KafkaSourceLimits.DEFAULT.unacknowledged(2)));
        opened.add(source);
        Records.send(broker, topic, "ann", "0");
        Records.send(broker, topic, "ann", "1");
        List<Source.Arrival> held = pull(source, 2);
        for (int i = 2; i < 10; i++) {
            Records.send(broker, topic, "ann", "" + i);
        }
        broker.removeBefore(topic, 0, 8);
        Source.Arrival next = held.get(1);
        while (!text(next).equals("8")) {
            next.ack();
            next = pull(source, 1).get(0);
        }
        held.get(0).nak(Duration.ZERO);
        assertThat(text(pull(source, 1).get(0))).isEqualTo("0");
    }

    @Test
    void it_begins_again_and_commits_so_when_the_topic_has_lost_its_end() throws Exception {
        broker.createTopic(topic, 1, Map.of());
        KafkaSource first = open();
        for (int i = 0; i < 10; i++) {
            Records.send(broker, topic, "ann", "\"old-" + i + "\"");
        }
        pull(first, 10).forEach(Source.Arrival::ack);
        new Eventually(PATIENCE)
                .holds(() -> assertThat(CrashingMember.committed(broker.address(), topic))
                        .isEqualTo(10));
        broker.server().kill();
        emptyLog();
        broker.restart();
        Records.send(broker, topic, "ann", "\"new-0\"");
        List<Source.Arrival> anew = pull(first, 1);
        for (int i = 1; i < 12; i++) {
            Records.send(broker, topic, "ann", "\"new-" + i + "\"");
        }
        anew.addAll(pull(first, 11));
        anew.subList(0, 4).forEach(Source.Arrival::ack);
        first.close();
        assertThat(texts(pull(open(), 8)))
                .as("what was not acknowledged, also before the offset that was committed once")
                .containsExactlyElementsOf(texts(anew.subList(4, 12)));
    }

    /** What a disk that was replaced has of it. */
    private void emptyLog() throws IOException {
        try (Stream<Path> files = Files.list(data.resolve(topic + "-0"))) {
            for (Path file : files.toList()) {
                if (!file.endsWith("partition.metadata")) {
                    Files.delete(file);
                }
            }
        }
    }

    @Test
    void a_new_group_begins_at_the_end_if_it_is_told_to() throws Exception {
        broker.createTopic(topic, 1, Map.of());
        Records.send(broker, topic, "ann", "0");
        KafkaSource source = KafkaSource.open(config(broker.address(), topic).property("auto.offset.reset", "latest"));
        opened.add(source);
        List<Source.Arrival> arrivals = new ArrayList<>();
        new Eventually(PATIENCE).holds(() -> {
            Records.send(broker, topic, "ann", "1");
            arrivals.addAll(source.pull(10, WAIT));
            assertThat(arrivals).isNotEmpty();
        });
        assertThat(texts(arrivals)).containsOnly("1");
    }

    @Test
    void a_source_closes_in_time_while_the_broker_is_down() {
        broker.createTopic(topic, 1, Map.of());
        KafkaSource source = open();
        broker.server().kill();
        try {
            long before = System.nanoTime();
            source.close();
            assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(Duration.ofSeconds(20));
        } finally {
            broker.restart();
        }
    }
}
