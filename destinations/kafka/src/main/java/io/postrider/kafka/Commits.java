package io.postrider.kafka;

import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells the broker what is done. One that fails is followed by the next, which says more. For the reader's thread. */
final class Commits {
    private static final Logger log = LoggerFactory.getLogger(KafkaSource.class);

    private final KafkaSourceConfig config;
    private final Consumer<byte[], byte[]> consumer;
    private boolean underWay;
    private long lastNanos = System.nanoTime();

    Commits(KafkaSourceConfig config, Consumer<byte[], byte[]> consumer) {
        this.config = config;
        this.consumer = consumer;
    }

    /** Without waiting for an answer. */
    void ifDue(Collection<Ledger> ledgers) {
        if (underWay
                || System.nanoTime() - lastNanos < config.limits().commitEvery().toNanos()) {
            return;
        }
        lastNanos = System.nanoTime();
        Map<TopicPartition, OffsetAndMetadata> news = news(ledgers);
        if (!news.isEmpty()) {
            Collection<Ledger> told = List.copyOf(ledgers);
            underWay = true;
            consumer.commitAsync(news, (offsets, failure) -> {
                underWay = false;
                if (failure == null) {
                    told.forEach(ledger -> know(ledger, offsets));
                } else {
                    complain(failure);
                }
            });
        }
    }

    /** And waits, as the partitions are about to be somebody else's. */
    void now(Collection<Ledger> ledgers) {
        Map<TopicPartition, OffsetAndMetadata> news = news(ledgers);
        if (news.isEmpty()) {
            return;
        }
        try {
            consumer.commitSync(news, config.limits().answerWithin());
            ledgers.forEach(ledger -> know(ledger, news));
        } catch (KafkaException e) {
            complain(e);
        }
    }

    private static Map<TopicPartition, OffsetAndMetadata> news(Collection<Ledger> ledgers) {
        Map<TopicPartition, OffsetAndMetadata> news = new HashMap<>();
        for (Ledger ledger : ledgers) {
            OffsetAndMetadata offset = ledger.news();
            if (offset != null) {
                news.put(ledger.partition(), offset);
            }
        }
        return news;
    }

    private static void know(Ledger ledger, Map<TopicPartition, OffsetAndMetadata> offsets) {
        OffsetAndMetadata offset = offsets.get(ledger.partition());
        if (offset != null) {
            ledger.committed(offset);
        }
    }

    private void complain(Exception failure) {
        log.debug(
                "Kafka source {} could not commit; what was done since the last commit may come again: {}",
                config.name(),
                Failure.words(failure));
    }
}
