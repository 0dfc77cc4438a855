package io.postrider.kafka;

import io.postrider.Event;
import io.postrider.destination.Destination;
import io.postrider.kafka.testing.KafkaBroker;
import io.postrider.tck.destination.DestinationFixture;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** A broker with a topic for everything, and one that takes no event without a key. */
final class KafkaFixture implements DestinationFixture {
    private static final String LETTERS = "letters";
    private static final String COMPACTED = "latest-letters";
    private static final String UNKEYED = "letter.unkeyed";

    private final KafkaBroker broker;
    private final List<KafkaDestination> opened = new ArrayList<>();

    KafkaFixture(Path folder) {
        broker = KafkaBroker.start(folder);
        broker.createTopic(LETTERS, 3, Map.of());
        broker.createTopic(COMPACTED, 1, Map.of("cleanup.policy", "compact"));
    }

    @Override
    public Destination open() {
        KafkaLimits limits = KafkaLimits.DEFAULT
                .batch(10)
                .window(50)
                .patience(Duration.ofSeconds(4))
                .answerWithin(Duration.ofSeconds(2));
        KafkaDestination destination = KafkaDestination.open(KafkaConfig.of(
                        List.of(broker.address()), TopicRules.others(LETTERS).type(UNKEYED, COMPACTED))
                .limits(limits));
        opened.add(destination);
        return destination;
    }

    @Override
    public List<Arrived> arrived() {
        return TopicReader.read(broker.address(), List.of(LETTERS, COMPACTED)).stream()
                .map(KafkaFixture::arrived)
                .toList();
    }

    private static Arrived arrived(ConsumerRecord<byte[], byte[]> record) {
        Map<String, String> headers = TopicReader.headers(record);
        return new Arrived(
                headers.getOrDefault("id", ""),
                headers.getOrDefault("type", ""),
                record.key() == null ? null : new String(record.key(), StandardCharsets.UTF_8),
                TopicReader.value(record),
                headers);
    }

    @Override
    public void stopServer() {
        broker.server().kill();
    }

    @Override
    public void startServer() {
        broker.restart();
    }

    @Override
    public void pauseServer() {
        broker.server().pauseProcess();
    }

    @Override
    public void resumeServer() {
        broker.server().resumeProcess();
    }

    @Override
    public Event refused() {
        return Event.of(UNKEYED, "text");
    }

    @Override
    public String refusal() {
        return "Compacted topic cannot accept message without key";
    }

    @Override
    public Set<Limitation> limitations() {
        return Set.of(Limitation.DOES_NOT_DEDUPLICATE);
    }

    @Override
    public void close() {
        opened.forEach(KafkaDestination::close);
        broker.close();
    }
}
