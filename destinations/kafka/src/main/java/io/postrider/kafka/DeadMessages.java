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
    private @Nullable Producer<byte[], byte[]> producer;
    private boolean closed;

    DeadMessages(KafkaSourceConfig config) {
        this.config = config;
    }

    /** Fails if no producer can be made with these settings, and one is needed. */
    static void tryOut(KafkaSourceConfig config) {
        if (config.deadTopic() != null) {
            newProducer(config).close(Duration.ZERO);
        }
    }

    private static Producer<byte[], byte[]> newProducer(KafkaSourceConfig config) {
        return new KafkaProducer<>(
                Settings.deadTopicProducer(config), new ByteArraySerializer(), new ByteArraySerializer());
    }

    private synchronized Producer<byte[], byte[]> producer() {
        if (closed) {
            throw new IllegalStateException("the source is closed");
        }
        if (producer == null) {
            producer = newProducer(config);
        }
        return producer;
    }

    /** How many there were since the source was opened. */
    long count() {
        return count.get();
    }

    void take(ConsumerRecord<byte[], byte[]> record, String why, Runnable done, Consumer<Duration> again) {
        String topic = config.deadTopic();
        if (topic == null) {
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
            var unused = producer()
                    .send(copy(topic, record, why), (metadata, failure) -> copied(record, why, failure, done, again));
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
        Producer<byte[], byte[]> last;
        synchronized (this) {
            closed = true;
            last = producer;
        }
        if (last != null) {
            last.close(config.limits().answerWithin());
        }
    }
}
