package io.postrider.kafka;

import static io.postrider.kafka.KafkaSourceTest.pull;
import static io.postrider.kafka.KafkaSourceTest.text;
import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.destination.Source;
import io.postrider.destination.SourceException;
import io.postrider.kafka.testing.KafkaBroker;
import io.postrider.tck.Eventually;
import io.postrider.tck.server.Ports;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A source that gets nothing fails each pull, with the reason, until it reads again. */
class KafkaSourceDownTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    /** In which the reader makes at least two more consumers, or asks the broker again. */
    private static final Duration A_WHILE = Duration.ofSeconds(2);

    private static final KafkaSourceLimits BRIEF = KafkaSourceLimits.DEFAULT.answerWithin(Duration.ofSeconds(1));

    private static KafkaBroker broker;

    private final String topic = "letters-" + UUID.randomUUID();
    private final List<Source> opened = new ArrayList<>();

    @BeforeAll
    static void start(@TempDir Path folder) {
        broker = KafkaBroker.start(
                folder,
                Map.of(
                        "authorizer.class.name", "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
                        "allow.everyone.if.no.acl.found", "true",
                        "super.users", "User:ANONYMOUS"));
    }

    @AfterAll
    static void stop() {
        broker.close();
    }

    @AfterEach
    void closeSources() {
        opened.forEach(Source::close);
    }

    private KafkaSource open(String address, Map<String, String> properties) {
        KafkaSourceConfig config = KafkaGroupTest.config(address, topic).limits(BRIEF);
        for (Map.Entry<String, String> property : properties.entrySet()) {
            config = config.property(property.getKey(), property.getValue());
        }
        return open(config);
    }

    private KafkaSource open(KafkaSourceConfig config) {
        KafkaSource source = KafkaSource.open(config);
        opened.add(source);
        return source;
    }

    @Test
    void a_port_where_nobody_listens_fails_each_pull() {
        String nobody = "127.0.0.1:" + Ports.free();
        assertStaysDown(open(nobody, Map.of()), nobody);
    }

    @Test
    void a_host_that_nobody_knows_fails_each_pull() {
        assertStaysDown(open("no-such-host.invalid:9092", Map.of()), "no host of [no-such-host.invalid:9092] is known");
    }

    @Test
    void a_wrong_password_fails_each_pull() {
        broker.createTopic(topic, 1, Map.of());
        assertStaysDown(open(broker.secureAddress(), Credentials.with("not-the-password")), "Authentication failed");
    }

    @Test
    void a_topic_that_we_may_see_but_not_read_fails_each_pull() {
        broker.createTopic(topic, 1, Map.of());
        broker.forbidWriting(topic);
        assertStaysDown(open(broker.secureAddress(), Credentials.with(KafkaBroker.PASSWORD)), topic);
    }

    @Test
    void a_topic_that_does_not_exist_fails_each_pull_until_it_does_also_if_nothing_comes_from_it() throws Exception {
        KafkaSource source = open(broker.address(), Map.of());
        assertStaysDown(source, "'" + topic + "' does not exist");
        broker.createTopic(topic, 1, Map.of());
        assertIsUpAgain(source);
        Records.send(broker, topic, "ann", "0");
        assertThat(text(pull(source, 1).get(0))).isEqualTo("0");
    }

    @Test
    void a_broker_that_is_killed_fails_each_pull_until_it_is_back_also_if_nothing_comes_from_it() throws Exception {
        broker.createTopic(topic, 1, Map.of());
        KafkaSource source = open(broker.address(), Map.of());
        Records.send(broker, topic, "ann", "0");
        pull(source, 1).get(0).ack();
        broker.server().kill();
        try {
            assertStaysDown(source, broker.address());
        } finally {
            broker.restart();
        }
        assertIsUpAgain(source);
    }

    @Test
    void two_members_are_up_again_although_there_is_a_partition_for_one_only() {
        for (String protocol : List.of("classic", "consumer")) {
            KafkaSourceConfig config = KafkaSourceConfig.of(List.of(broker.address()), protocol, topic + protocol)
                    .limits(BRIEF)
                    .property("group.protocol", protocol);
            List<KafkaSource> members = List.of(open(config), open(config));
            members.forEach(member -> assertIsDown(member, "does not exist"));
            broker.createTopic(topic + protocol, 1, Map.of());
            members.forEach(KafkaSourceDownTest::assertIsUpAgain);
        }
    }

    private static void assertStaysDown(Source source, String reason) {
        assertIsDown(source, reason);
        long deadline = System.nanoTime() + A_WHILE.toNanos();
        List<String> answers = new ArrayList<>();
        new Eventually(PATIENCE, Duration.ofMillis(20)).holds(() -> {
            answers.add(String.valueOf(failure(source)));
            assertThat(System.nanoTime()).isGreaterThan(deadline);
        });
        assertThat(answers).allSatisfy(answer -> assertThat(answer).contains(reason));
    }

    private static void assertIsDown(Source source, String reason) {
        new Eventually(PATIENCE).holds(() -> assertThat(failure(source)).contains(reason));
    }

    private static void assertIsUpAgain(Source source) {
        new Eventually(PATIENCE, Duration.ofMillis(20))
                .holds(() -> assertThat(failure(source)).isNull());
    }

    /** What the next pull fails with, or null if it finds nothing. */
    private static @Nullable String failure(Source source) throws InterruptedException {
        try {
            assertThat(source.pull(1, Duration.ZERO)).isEmpty();
            return null;
        } catch (SourceException e) {
            return e.getMessage();
        }
    }
}
