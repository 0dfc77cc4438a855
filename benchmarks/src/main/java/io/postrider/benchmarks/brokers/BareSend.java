package io.postrider.benchmarks.brokers;

import io.postrider.kafka.KafkaLimits;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/** The bare producer, set up as a destination sets it up. One thread sends. */
final class BareSend implements BareClient {
    private final String topic;
    private final Producer<byte[], byte[]> producer;
    private final AtomicReference<@Nullable Exception> failed = new AtomicReference<>();

    BareSend(KafkaPlace place) {
        this.topic = place.topic();
        this.producer =
                new KafkaProducer<>(settings(place.server()), new ByteArraySerializer(), new ByteArraySerializer());
        producer.partitionsFor(topic);
    }

    private static Map<String, Object> settings(String server) {
        return Map.of(
                ProducerConfig.BOOTSTRAP_SERVERS_CONFIG,
                server,
                ProducerConfig.ACKS_CONFIG,
                "all",
                ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG,
                true,
                ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION,
                5,
                ProducerConfig.BATCH_SIZE_CONFIG,
                KafkaLimits.DEFAULT.batchBytes(),
                ProducerConfig.LINGER_MS_CONFIG,
                KafkaLimits.DEFAULT.linger().toMillis());
    }

    @Override
    public void send(String key, Map<String, String> headers, byte[] body) {
        ProducerRecord<byte[], byte[]> record =
                new ProducerRecord<>(topic, null, key.getBytes(StandardCharsets.UTF_8), body);
        headers.forEach((name, value) -> record.headers().add(name, value.getBytes(StandardCharsets.UTF_8)));
        var unused = producer.send(record, (metadata, failure) -> {
            if (failure != null) {
                failed.set(failure);
            }
        });
    }

    @Override
    public void await() {
        producer.flush();
        if (failed.get() != null) {
            throw new IllegalStateException("a message was not acknowledged", failed.get());
        }
    }

    @Override
    public void close() {
        producer.close();
    }
}
