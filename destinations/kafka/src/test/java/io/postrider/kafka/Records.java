package io.postrider.kafka;

import io.postrider.kafka.testing.KafkaBroker;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/** Records as somebody else would send them: without a header. */
final class Records {
    private static final Map<String, Producer<byte[], byte[]>> PRODUCERS = new ConcurrentHashMap<>();

    private Records() {}

    static void send(KafkaBroker broker, String topic, String key, String text) {
        send(broker, topic, key, text.getBytes(StandardCharsets.UTF_8));
    }

    static void send(KafkaBroker broker, String topic, String key, byte @Nullable [] value) {
        try {
            producer(broker)
                    .send(new ProducerRecord<>(topic, key.getBytes(StandardCharsets.UTF_8), value))
                    .get();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private static Producer<byte[], byte[]> producer(KafkaBroker broker) {
        return PRODUCERS.computeIfAbsent(
                broker.address(),
                address -> new KafkaProducer<>(
                        Map.of("bootstrap.servers", address, "linger.ms", 0),
                        new ByteArraySerializer(),
                        new ByteArraySerializer()));
    }
}
