package io.postrider.kafka;

import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;

/** Tells the broker what is done. One that fails is followed by the next, which says more. For the reader's thread. */
final class Commits {
    private final KafkaSourceConfig config;
    private final Consumer<byte[], byte[]> consumer;
    private final CommitTrouble trouble;
    private boolean underWay;
    private long lastNanos = System.nanoTime();

    Commits(KafkaSourceConfig config, Consumer<byte[], byte[]> consumer, CommitTrouble trouble) {
        this.config = config;
        this.consumer = consumer;
        this.trouble = trouble;
    }

    /** Without waiting for an answer. */
    void ifDue(Collection<PartitionProgress> partitionsRead) {
        if (underWay
                || System.nanoTime() - lastNanos < config.limits().commitEvery().toNanos()) {
            return;
        }
        lastNanos = System.nanoTime();
        Map<TopicPartition, OffsetAndMetadata> news = news(partitionsRead);
        if (!news.isEmpty()) {
            Collection<PartitionProgress> told = List.copyOf(partitionsRead);
            underWay = true;
            consumer.commitAsync(news, (offsets, failure) -> {
                underWay = false;
                if (failure == null) {
                    told.forEach(progress -> know(progress, offsets));
                    trouble.succeeded();
                } else {
                    trouble.failed(failure);
                }
            });
        }
    }

    /** And waits, as the partitions are about to be somebody else's. */
    void now(Collection<PartitionProgress> partitionsRead) {
        Map<TopicPartition, OffsetAndMetadata> news = news(partitionsRead);
        if (news.isEmpty()) {
            return;
        }
        try {
            consumer.commitSync(news, config.limits().answerWithin());
            partitionsRead.forEach(progress -> know(progress, news));
            trouble.succeeded();
        } catch (KafkaException e) {
            trouble.failed(e);
        }
    }

    private static Map<TopicPartition, OffsetAndMetadata> news(Collection<PartitionProgress> partitionsRead) {
        Map<TopicPartition, OffsetAndMetadata> news = new HashMap<>();
        for (PartitionProgress progress : partitionsRead) {
            OffsetAndMetadata offset = progress.news();
            if (offset != null) {
                news.put(progress.partition(), offset);
            }
        }
        return news;
    }

    private static void know(PartitionProgress progress, Map<TopicPartition, OffsetAndMetadata> offsets) {
        OffsetAndMetadata offset = offsets.get(progress.partition());
        if (offset != null) {
            progress.committed(offset);
        }
    }
}
