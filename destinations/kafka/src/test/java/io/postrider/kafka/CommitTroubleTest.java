package io.postrider.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.GroupAuthorizationException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Commits that the broker refuses while it lets the group read. */
class CommitTroubleTest {
    private static final String CANNOT =
            "WARN io.postrider.kafka.KafkaSource - Kafka source kafka:readers cannot commit";
    private static final TopicPartition PARTITION = new TopicPartition("letters", 0);

    private final KafkaSourceConfig config = KafkaSourceConfig.of(List.of("127.0.0.1:1"), "readers", "letters");
    private final CommitTrouble trouble = new CommitTrouble(config.name(), config.group());
    private final PartitionProgress progress = new PartitionProgress(PARTITION);
    private final ByteArrayOutputStream lines = new ByteArrayOutputStream();
    private final PrintStream log = System.err;
    private boolean refuses = true;
    private long next;

    @BeforeEach
    void capture() {
        System.setErr(new PrintStream(lines, true, StandardCharsets.UTF_8));
    }

    @AfterEach
    void release() {
        System.setErr(log);
    }

    @Test
    void commits_that_are_refused_are_told_once_until_one_succeeds() {
        commitOne();
        commitOne();
        assertThat(logged()).containsOnlyOnce(CANNOT).contains("comes again after a restart", "READ on the group");
        refuses = false;
        commitOne();
        refuses = true;
        commitOne();
        assertThat(logged().split(CANNOT, -1)).hasSize(3);
    }

    private String logged() {
        return lines.toString(StandardCharsets.UTF_8);
    }

    /** One message more is done, and told by another consumer: each membership has its own. */
    private void commitOne() {
        progress.read(List.of(new ConsumerRecord<>(PARTITION.topic(), PARTITION.partition(), next, null, null)));
        progress.done(next++);
        try (Refusing consumer = new Refusing()) {
            consumer.assign(List.of(PARTITION));
            new Commits(config, consumer, trouble).now(List.of(progress));
        }
    }

    /** A consumer whose commits are refused at times. */
    private final class Refusing extends MockConsumer<byte[], byte[]> {
        Refusing() {
            super("earliest");
        }

        @Override
        public synchronized void commitSync(Map<TopicPartition, OffsetAndMetadata> offsets, Duration timeout) {
            if (refuses) {
                throw GroupAuthorizationException.forGroupId("readers");
            }
            super.commitSync(offsets, timeout);
        }
    }
}
