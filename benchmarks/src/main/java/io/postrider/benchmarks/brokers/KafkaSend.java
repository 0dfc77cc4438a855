package io.postrider.benchmarks.brokers;

import io.postrider.benchmarks.measure.Contender;
import io.postrider.benchmarks.measure.Payloads;
import io.postrider.kafka.KafkaLimits;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.utils.AppInfoParser;
import org.jspecify.annotations.Nullable;

/** Sends with the bare producer what a destination would, from memory. */
final class KafkaSend implements Contender {
    private final KafkaPlace place;
    private final int messages;
    private final RawMessages made = RawMessages.make();

    KafkaSend(KafkaPlace place, int messages) {
        this.place = place;
        this.messages = messages;
    }

    @Override
    public String label() {
        return String.format(
                Locale.ROOT, "bare kafka-clients %s send, %,d messages", AppInfoParser.getVersion(), messages);
    }

    @Override
    public String how() {
        return "made payloads and as many headers, from memory, one thread; as many under way as the producer's memory"
                + " holds; linger and batch.size as the destination has them; until the last is acknowledged; to "
                + place.what();
    }

    @Override
    public double round() throws Exception {
        place.renew();
        double rate;
        try (Producer<byte[], byte[]> producer =
                new KafkaProducer<>(settings(), new ByteArraySerializer(), new ByteArraySerializer())) {
            producer.partitionsFor(place.topic());
            rate = send(producer);
        }
        place.requireStored(messages);
        return rate;
    }

    private Map<String, Object> settings() {
        return Map.of(
                ProducerConfig.BOOTSTRAP_SERVERS_CONFIG,
                place.server(),
                ProducerConfig.ACKS_CONFIG,
                "all",
                ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG,
                true,
                ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION,
                5,
                ProducerConfig.LINGER_MS_CONFIG,
                KafkaLimits.DEFAULT.linger().toMillis());
    }

    private double send(Producer<byte[], byte[]> producer) {
        AtomicReference<@Nullable Exception> failed = new AtomicReference<>();
        long begin = System.nanoTime();
        for (int i = 0; i < messages; i++) {
            var unused = producer.send(record(i), (metadata, failure) -> {
                if (failure != null) {
                    failed.set(failure);
                }
            });
        }
        producer.flush();
        double rate = messages * 1e9 / (System.nanoTime() - begin);
        if (failed.get() != null) {
            throw new IllegalStateException("a message was not acknowledged", failed.get());
        }
        return rate;
    }

    private ProducerRecord<byte[], byte[]> record(int number) {
        byte[] key = Payloads.key(number).getBytes(StandardCharsets.UTF_8);
        ProducerRecord<byte[], byte[]> record = new ProducerRecord<>(place.topic(), null, key, made.body(number));
        made.headers(number)
                .forEach((name, value) -> record.headers().add(name, value.getBytes(StandardCharsets.UTF_8)));
        return record;
    }
}
