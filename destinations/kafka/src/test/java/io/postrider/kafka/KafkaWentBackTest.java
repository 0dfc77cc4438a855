package io.postrider.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.destination.Placed;
import io.postrider.destination.Source.Arrival;
import io.postrider.destination.SourceException;
import io.postrider.kafka.testing.KafkaBroker;
import io.postrider.tck.Eventually;
import io.postrider.tck.server.Folders;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A topic that was put back to 80 records while its group had read 100: what comes then has their offsets. */
class KafkaWentBackTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final String TOPIC = "letters";

    @TempDir
    Path folder;

    private final TreeSet<String> received = new TreeSet<>();
    private final List<String> told = new ArrayList<>();
    private Placed.Place newest = new Placed.Place(0, 0, Instant.EPOCH);
    private KafkaBroker broker;

    @BeforeEach
    void start() {
        broker = KafkaBroker.start(folder);
        broker.createTopic(TOPIC, 1, Map.of());
    }

    @AfterEach
    void stop() {
        broker.close();
    }

    @Test
    void what_was_sent_before_the_source_is_back_is_received() {
        send("kept", 80);
        receive("kept", 80);
        broker.server().stop();
        Folders.copy(log(), folder.resolve("copy"));
        broker.restart();
        send("lost", 20);
        receive("lost", 20);
        broker.server().stop();
        Folders.delete(log());
        Folders.copy(folder.resolve("copy"), log());
        broker.restart();
        assertThat(told).isEmpty();
        send("new", 30);
        receive("new", 30);
        assertThat(told).singleElement().asString().contains(TOPIC + "-0", "reading begins again");
        assertThat(newest.era()).isEqualTo(1);
    }

    /** A receiver's memory, in which there is room for one place. */
    private final class Known implements Placed.Memory {
        @Override
        public Optional<Placed.Place> newest() {
            return Optional.of(newest);
        }

        @Override
        public Duration keptFor() {
            return Duration.ofDays(7);
        }

        @Override
        public void wentBack(Placed.Place end, String why) {
            newest = end;
            told.add(why);
        }
    }

    private Path log() {
        return folder.resolve("data").resolve(TOPIC + "-0");
    }

    private void send(String what, int count) {
        numbers(what, count).forEach(text -> Records.send(broker, TOPIC, "ann", text));
    }

    /** Until all of these have come; closing commits. */
    private void receive(String what, int count) {
        KafkaSourceConfig config = KafkaSourceConfig.of(List.of(broker.address()), "readers", TOPIC)
                .limits(KafkaSourceLimits.DEFAULT.answerWithin(Duration.ofSeconds(5)))
                .property("session.timeout.ms", "3000")
                .property("heartbeat.interval.ms", "500");
        try (KafkaSource source = KafkaSource.open(config)) {
            source.remember(new Known());
            new Eventually(PATIENCE).holds(() -> {
                pull(source).forEach(arrival -> {
                    received.add(arrival.incoming().event().payload().toString());
                    arrival.ack();
                });
                assertThat(received).containsAll(texts(what, count));
            });
        }
    }

    private static List<Arrival> pull(KafkaSource source) throws InterruptedException {
        try {
            return source.pull(100, Duration.ofSeconds(5)); // long enough to begin before a truncation is found
        } catch (SourceException e) {
            throw new AssertionError(e);
        }
    }

    private static List<String> numbers(String what, int count) {
        return IntStream.range(0, count)
                .mapToObj(number -> "\"" + what + " " + number + "\"")
                .toList();
    }

    private static List<String> texts(String what, int count) {
        return numbers(what, count).stream()
                .map(text -> "Json[text=" + text + "]")
                .toList();
    }
}
