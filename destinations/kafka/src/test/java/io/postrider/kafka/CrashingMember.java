package io.postrider.kafka;

import io.postrider.destination.Source;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** A process that takes ten messages, acknowledges five, waits until that is committed, and is gone. */
final class CrashingMember {
    static final int CRASHED = 42;

    private CrashingMember() {}

    static int run(String address, String topic) throws IOException, InterruptedException {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        return new ProcessBuilder(
                        java,
                        "-Dorg.slf4j.simpleLogger.defaultLogLevel=error",
                        "-cp",
                        System.getProperty("java.class.path"),
                        CrashingMember.class.getName(),
                        address,
                        topic)
                .inheritIO()
                .start()
                .waitFor();
    }

    public static void main(String[] arguments) throws InterruptedException {
        String address = arguments[0];
        String topic = arguments[1];
        Source source = KafkaSource.open(KafkaGroupTest.config(address, topic));
        List<Source.Arrival> arrivals = new ArrayList<>();
        while (arrivals.size() < 10) {
            arrivals.addAll(source.pull(10 - arrivals.size(), Duration.ofSeconds(1)));
        }
        arrivals.subList(0, 5).forEach(Source.Arrival::ack);
        while (committed(address, topic) < 5) {
            Thread.onSpinWait();
        }
        Runtime.getRuntime().halt(CRASHED);
    }

    static long committed(String address, String topic) {
        Map<String, Object> settings = Map.of("bootstrap.servers", address, "group.id", "group-of-" + topic);
        try (KafkaConsumer<byte[], byte[]> consumer =
                new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            TopicPartition partition = new TopicPartition(topic, 0);
            OffsetAndMetadata offset =
                    consumer.committed(java.util.Set.of(partition)).get(partition);
            return offset == null ? -1 : offset.offset();
        }
    }
}
