package io.postrider.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

class PartitionProgressTest {
    private final PartitionProgress progress = new PartitionProgress(new TopicPartition("letters", 0));

    @Test
    void nothing_read_is_nothing_to_commit() {
        assertThat(progress.news()).isNull();
        assertThat(progress.unacknowledged()).isZero();
    }

    @Test
    void the_offset_does_not_pass_what_is_not_done_also_over_gaps() {
        progress.read(records(3, 7, 8));
        assertThat(safe()).isEqualTo(3);
        progress.done(7);
        assertThat(safe()).isEqualTo(3);
        progress.done(3);
        assertThat(safe()).isEqualTo(8);
        progress.done(8);
        assertThat(safe()).isEqualTo(9);
    }

    @Test
    void what_the_broker_knows_is_no_news() {
        progress.read(records(0, 1));
        progress.done(0);
        progress.committed(new OffsetAndMetadata(1));
        assertThat(progress.news()).isNull();
        progress.done(1);
        assertThat(safe()).isEqualTo(2);
    }

    @Test
    void a_lost_partition_has_no_news_and_holds_nothing() {
        progress.read(records(0, 1));
        progress.done(0);
        progress.lose();
        assertThat(progress.news()).isNull();
        assertThat(progress.unacknowledged()).isZero();
        assertThat(progress.isOpen(1)).isFalse();
    }

    private long safe() {
        return Objects.requireNonNull(progress.news()).offset();
    }

    private static List<ConsumerRecord<byte[], byte[]>> records(long... offsets) {
        return Arrays.stream(offsets)
                .mapToObj(offset -> new ConsumerRecord<>("letters", 0, offset, new byte[0], new byte[0]))
                .toList();
    }
}
