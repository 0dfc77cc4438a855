package io.postrider.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.postrider.StoredEvent;
import io.postrider.destination.Outcome;
import io.postrider.kafka.testing.KafkaBroker;
import io.postrider.tck.Eventually;
import io.postrider.tck.server.Ports;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A destination that finds no broker: down, in words that say whom it looks for, until there is one. */
class KafkaDownTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final TopicRules RULES = TopicRules.others("letters");
    private static final KafkaLimits BRIEF =
            KafkaLimits.DEFAULT.patience(Duration.ofSeconds(2)).answerWithin(Duration.ofMillis(500));
    private static final StoredEvent LETTER = Stored.event("letter.sent", "ann", "{}");

    @Test
    void a_host_that_nobody_knows_is_down_and_named() {
        try (KafkaDestination destination =
                KafkaDestination.open(KafkaConfig.of(List.of("no-such-host.invalid:9092"), RULES))) {
            assertDown(destination, "no host of [no-such-host.invalid:9092] is known");
        }
    }

    @Test
    void a_port_where_nobody_listens_is_down_and_named() {
        String nobody = "127.0.0.1:" + Ports.free();
        try (KafkaDestination destination =
                KafkaDestination.open(KafkaConfig.of(List.of(nobody), RULES).limits(BRIEF))) {
            assertDown(destination, "no broker of [" + nobody + "] answers: ");
            assertThatThrownBy(() -> destination.probe().toCompletableFuture().join())
                    .hasRootCauseInstanceOf(org.apache.kafka.common.errors.TimeoutException.class);
        }
    }

    /** The engine shows what a dispatch says at first, and what the last probe has said after it. */
    private static void assertDown(KafkaDestination destination, String words) {
        Outcome outcome = Stored.dispatch(destination, LETTER).get(0);
        assertThat(outcome)
                .isInstanceOfSatisfying(
                        Outcome.Down.class, down -> assertThat(down.why()).startsWith(words));
        assertThatThrownBy(() -> destination.probe().toCompletableFuture().join())
                .cause()
                .hasMessageStartingWith(words);
    }

    @Test
    void a_destination_without_a_broker_does_not_fill_the_log() throws Exception {
        assertThat(WithoutBroker.logLines(Duration.ofSeconds(3)))
                .filteredOn(line -> line.contains("AdminClient"))
                .isNotEmpty()
                .hasSizeLessThan(100);
    }

    @Test
    void it_finds_brokers_that_have_all_moved_to_another_of_its_servers(@TempDir Path folder) {
        try (KafkaBroker first = broker(folder.resolve("first"));
                KafkaBroker second = broker(folder.resolve("second"))) {
            second.server().kill();
            KafkaConfig both = KafkaConfig.of(List.of(first.address(), second.address()), RULES)
                    .limits(BRIEF);
            try (KafkaDestination destination = KafkaDestination.open(both)) {
                assertTakesEvents(destination);
                first.server().kill();
                second.restart();
                assertTakesEvents(destination);
            }
            assertThat(TopicReader.read(second.address(), List.of("letters"))).isNotEmpty();
        }
    }

    private static void assertTakesEvents(KafkaDestination destination) {
        new Eventually(PATIENCE).holds(() -> {
            destination.probe().toCompletableFuture().handle((up, down) -> null).join();
            assertThat(Stored.dispatch(destination, LETTER)).containsExactly(Outcome.DELIVERED);
        });
    }

    private static KafkaBroker broker(Path folder) {
        KafkaBroker broker = KafkaBroker.start(folder);
        broker.createTopic("letters", 1, Map.of());
        return broker;
    }
}
