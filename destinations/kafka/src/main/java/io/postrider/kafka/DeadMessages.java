package io.postrider.kafka;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Messages that are not to come again although nobody handled them: each is logged with its place, and copied to the
 * dead topic if there is one, before it counts as done. Thread-safe.
 */
final class DeadMessages implements AutoCloseable {
    static final String REASON = "dead-reason";
    static final String ORIGIN = "dead-origin";
    private static final Duration AGAIN_AFTER = Duration.ofSeconds(5);
    private static final Logger log = LoggerFactory.getLogger(KafkaSource.class);

    private final KafkaSourceConfig config;
    private final AtomicLong count = new AtomicLong();
    private final @Nullable Producer<byte[], byte[]> producer;

    DeadMessages(KafkaSourceConfig config) {
        this.config = config;
        this.producer = config.deadTopic() == null
                ? null
                : new KafkaProducer<>(
                        Settings.deadTopicProducer(config), new ByteArraySerializer(), new ByteArraySerializer());
    }

    /** How many there were since the source was opened. */
    long count() {
        return count.get();
    }

    void take(ConsumerRecord<byte[], byte[]> record, String why, Runnable done, Consumer<Duration> again) {
        String topic = config.deadTopic();
        if (producer == null || topic == null) {
            count.incrementAndGet();
            log.error(
                    "Kafka source {} gives up the message {}, which stays in its topic as long as that keeps it: {}",
                    config.name(),
                    KafkaArrival.place(record),
                    why);
            done.run();
            return;
        }
        try {
            var unused = producer.send(
                    copy(topic, record, why), (metadata, failure) -> copied(record, why, failure, done, again));
        } catch (RuntimeException e) {
            copied(record, why, e, done, again);
        }
    }

    private void copied(
            ConsumerRecord<byte[], byte[]> record,
            String why,
            @Nullable Exception failure,
            Runnable done,
            Consumer<Duration> again) {
        if (failure != null) {
            log.warn(
                    "Kafka source {} could not copy the message {} to {}, so it comes again: {}",
                    config.name(),
                    KafkaArrival.place(record),
                    config.deadTopic(),
                    Failure.words(failure));
            again.accept(AGAIN_AFTER);
            return;
        }
        count.incrementAndGet();
        log.error(
                "Kafka source {} gives up the message {}, which is in {} now: {}",
                config.name(),
                KafkaArrival.place(record),
                config.deadTopic(),
                why);
        done.run();
    }

    private static ProducerRecord<byte[], byte[]> copy(
            String topic, ConsumerRecord<byte[], byte[]> record, String why) {
        ProducerRecord<byte[], byte[]> copy = new ProducerRecord<>(topic, null, record.key(), record.value());
        record.headers().forEach(copy.headers()::add);
        copy.headers().add(REASON, why.getBytes(StandardCharsets.UTF_8));
        copy.headers().add(ORIGIN, KafkaArrival.place(record).getBytes(StandardCharsets.UTF_8));
        return copy;
    }

    @Override
    public void close() {
        if (producer != null) {
            producer.close(config.limits().answerWithin());
        }
    }
}
