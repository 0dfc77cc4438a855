package io.postrider.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.postrider.StoredEvent;
import io.postrider.destination.Outcome;
import io.postrider.kafka.testing.KafkaBroker;
import io.postrider.tck.Eventually;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.stream.IntStream;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Topics, refusals and bad input, against a real broker. */
class KafkaTopicsTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final KafkaLimits LIMITS = KafkaLimits.DEFAULT.patience(Duration.ofSeconds(4));

    private static KafkaBroker broker;

    @BeforeAll
    static void start(@TempDir Path folder) {
        broker = KafkaBroker.start(
                folder,
                Map.of(
                        "authorizer.class.name", "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
                        "allow.everyone.if.no.acl.found", "true",
                        "super.users", "User:ANONYMOUS"));
        broker.createTopic("letters", 2, Map.of());
        broker.createTopic("small", 1, Map.of("max.message.bytes", "2000"));
        broker.createTopic("compacted", 1, Map.of("cleanup.policy", "compact"));
        broker.createTopic("private", 1, Map.of());
        broker.forbidWriting("private");
    }

    @AfterAll
    static void stop() {
        broker.close();
    }

    private static KafkaConfig config(TopicRules rules) {
        return KafkaConfig.of(List.of(broker.address()), rules).limits(LIMITS);
    }

    private static StoredEvent letter(@Nullable String key) {
        return Stored.event("letter.sent", key, "{}");
    }

    @Test
    void a_topic_that_does_not_exist_is_an_error_that_names_the_rule() {
        TopicRules rules = TopicRules.others("letters").prefix("order.", "orders");
        assertThatThrownBy(() -> KafkaDestination.open(config(rules)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'orders'")
                .hasMessageContaining("prefix order. -> orders")
                .hasMessageContaining(broker.address());
    }

    @Test
    void a_topic_is_made_if_the_rules_say_how() {
        for (int time = 0; time < 2; time++) {
            try (KafkaDestination destination =
                    KafkaDestination.open(config(TopicRules.others("made").create(3, 1)))) {
                assertThat(Stored.dispatch(destination, letter("ann"))).containsExactly(Outcome.DELIVERED);
            }
        }
        assertThat(TopicReader.read(broker.address(), List.of("made"))).hasSize(2);
    }

    @Test
    void each_event_goes_to_the_topic_of_its_rule() {
        TopicRules rules = TopicRules.others("routed-rest").type("letter.sent", "routed-sent");
        try (KafkaDestination destination = KafkaDestination.open(config(rules.create(1, 1)))) {
            assertThat(Stored.dispatch(destination, letter("ann"), Stored.event("other", "ann", "1")))
                    .containsExactly(Outcome.DELIVERED, Outcome.DELIVERED);
        }
        assertThat(TopicReader.read(broker.address(), List.of("routed-sent"))).hasSize(1);
        assertThat(TopicReader.read(broker.address(), List.of("routed-rest"))).hasSize(1);
    }

    @Test
    void an_event_that_no_rule_takes_is_dead_with_the_rules() {
        try (KafkaDestination destination =
                KafkaDestination.open(config(TopicRules.none().type("order.placed", "letters")))) {
            assertDead(Stored.dispatch(destination, letter("ann")).get(0), "'letter.sent'", "order.placed -> letters");
        }
    }

    @Test
    void events_of_a_topic_that_was_removed_are_dead_and_arrive_when_it_is_there_again() {
        broker.createTopic("removed", 1, Map.of());
        TopicRules rules = TopicRules.others("removed").type("letter.kept", "letters");
        try (KafkaDestination destination = KafkaDestination.open(config(rules))) {
            assertThat(Stored.dispatch(destination, letter("ann"))).containsExactly(Outcome.DELIVERED);
            broker.deleteTopic("removed");
            Eventually eventually = new Eventually(PATIENCE, Duration.ofMillis(100));
            eventually.holds(() -> assertDead(
                    Stored.dispatchUntilUp(destination, letter("ann")), "'removed'", "all others -> removed"));
            assertThat(Stored.dispatch(destination, Stored.event("letter.kept", "ann", "1")))
                    .containsExactly(Outcome.DELIVERED);
            broker.createTopic("removed", 1, Map.of());
            eventually.holds(() -> assertThat(Stored.dispatchUntilUp(destination, letter("ann")))
                    .isEqualTo(Outcome.DELIVERED));
        }
    }

    @Test
    void an_event_that_is_too_large_is_dead_with_the_brokers_words_or_the_producers() {
        try (KafkaDestination destination =
                KafkaDestination.open(config(TopicRules.others("small").type("letter.huge", "letters")))) {
            StoredEvent large = Stored.event("letter.sent", "ann", '"' + "x".repeat(10_000) + '"');
            StoredEvent huge = Stored.event("letter.huge", "ann", '"' + "x".repeat(2_000_000) + '"');
            List<Outcome> outcomes = Stored.dispatch(destination, large, huge);
            assertDead(outcomes.get(0), "larger than the max message size");
            assertDead(outcomes.get(1), "max.request.size");
        }
    }

    @Test
    void those_sent_together_with_a_refused_event_arrive() {
        KafkaConfig together = config(TopicRules.others("compacted")).limits(LIMITS.linger(Duration.ofMillis(200)));
        try (KafkaDestination destination = KafkaDestination.open(together)) {
            StoredEvent[] events = IntStream.range(0, 9)
                    .mapToObj(number -> letter(number == 4 ? null : "key-" + number))
                    .toArray(StoredEvent[]::new);
            List<Outcome> outcomes = Stored.dispatch(destination, events);
            for (int i = 0; i < outcomes.size(); i++) {
                if (i == 4) {
                    assertDead(outcomes.get(i), "Compacted topic cannot accept message without key");
                } else {
                    assertThat(outcomes.get(i)).isEqualTo(Outcome.DELIVERED);
                }
            }
        }
    }

    @Test
    void an_event_of_a_topic_we_may_not_write_to_is_dead_and_the_others_are_not() {
        TopicRules rules = TopicRules.others("letters").type("letter.secret", "private");
        try (KafkaDestination destination = KafkaDestination.open(secure(rules, KafkaBroker.PASSWORD))) {
            List<Outcome> outcomes =
                    Stored.dispatch(destination, Stored.event("letter.secret", "ann", "1"), letter("ann"));
            assertDead(outcomes.get(0), "private");
            assertThat(outcomes.get(1)).isEqualTo(Outcome.DELIVERED);
        }
    }

    @Test
    void wrong_credentials_are_an_error_with_the_brokers_words_and_without_the_secret() {
        assertThatThrownBy(() -> KafkaDestination.open(secure(TopicRules.others("letters"), "not-the-password")))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("Authentication failed")
                .hasStackTraceContaining("SaslAuthenticationException")
                .satisfies(e -> assertThat(stackTrace(e)).doesNotContain("not-the-password"));
    }

    private static String stackTrace(Throwable failure) {
        java.io.StringWriter text = new java.io.StringWriter();
        failure.printStackTrace(new java.io.PrintWriter(text));
        return text.toString();
    }

    private static KafkaConfig secure(TopicRules rules, String password) {
        KafkaConfig config =
                KafkaConfig.of(List.of(broker.secureAddress()), rules).limits(LIMITS);
        for (Map.Entry<String, String> property : Credentials.with(password).entrySet()) {
            config = config.property(property.getKey(), property.getValue());
        }
        return config;
    }

    @Test
    void a_producer_that_has_failed_for_good_is_replaced_by_the_next_probe() {
        KafkaConfig config = config(TopicRules.others("letters"));
        Queue<Producer<byte[], byte[]>> producers = new ArrayDeque<>(List.of(
                FailedProducer.with(new ProducerFencedException("there is a newer one")),
                new KafkaProducer<>(Settings.producer(config), new ByteArraySerializer(), new ByteArraySerializer())));
        try (KafkaDestination destination = KafkaDestination.open(config, producers::remove)) {
            StoredEvent event = letter("ann");
            assertThat(Stored.dispatch(destination, event)).containsExactly(Outcome.down("there is a newer one"));
            destination.probe().toCompletableFuture().join();
            assertThat(Stored.dispatch(destination, event)).containsExactly(Outcome.DELIVERED);
        }
    }

    @Test
    void a_setting_that_kafka_refuses_is_an_error_that_names_it() {
        KafkaConfig wrong = config(TopicRules.others("letters")).property("buffer.memory", "much");
        assertThatThrownBy(() -> KafkaDestination.open(wrong))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("buffer.memory");
    }

    @Test
    void a_truststore_that_is_not_there_is_an_error_that_names_the_file() {
        KafkaConfig wrong = config(TopicRules.others("letters"))
                .property("security.protocol", "SSL")
                .property("ssl.truststore.location", "/no/such/truststore.p12");
        assertThatThrownBy(() -> KafkaDestination.open(wrong))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("/no/such/truststore.p12")
                .hasMessageContaining("NoSuchFileException");
    }

    @Test
    void every_compression_arrives() {
        for (Compression compression : Compression.values()) {
            try (KafkaDestination destination =
                    KafkaDestination.open(config(TopicRules.others("letters")).compression(compression))) {
                StoredEvent event = letter(compression.name());
                assertThat(Stored.dispatch(destination, event)).containsExactly(Outcome.DELIVERED);
                assertThat(ids("letters")).contains(event.id().toString());
            }
        }
    }

    @Test
    void one_key_keeps_its_order_while_the_broker_is_killed_and_comes_back() throws Exception {
        broker.createTopic("ordered", 3, Map.of());
        List<StoredEvent> events =
                IntStream.range(0, 300).mapToObj(number -> letter("ann")).toList();
        try (KafkaDestination destination = KafkaDestination.open(config(TopicRules.others("ordered")))) {
            Thread sender = new Thread(() -> events.forEach(event ->
                    assertThat(Stored.dispatchUntilUp(destination, event)).isEqualTo(Outcome.DELIVERED)));
            sender.start();
            new Eventually(PATIENCE).holds(() -> assertThat(ids("ordered")).hasSizeGreaterThan(50));
            broker.server().kill();
            broker.restart();
            sender.join();
        }
        assertThat(ids("ordered"))
                .containsExactlyElementsOf(
                        events.stream().map(event -> event.id().toString()).toList());
    }

    /** In the order of their first arrival. */
    private static Set<String> ids(String topic) {
        Set<String> ids = new LinkedHashSet<>();
        TopicReader.read(broker.address(), List.of(topic))
                .forEach(record -> ids.add(TopicReader.headers(record).get("id")));
        return ids;
    }

    private static void assertDead(Outcome outcome, String... words) {
        assertThat(outcome).isInstanceOf(Outcome.Dead.class);
        assertThat(((Outcome.Dead) outcome).why()).contains(words);
    }
}
