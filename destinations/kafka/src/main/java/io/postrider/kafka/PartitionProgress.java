package io.postrider.kafka;

import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * The messages that were read of one partition while it was ours, and which of them are not done. Only offsets before
 * the first message that is not done may be committed. Offsets have gaps, so that offset is looked up and not counted.
 * Thread-safe.
 */
final class PartitionProgress {
    private static final long NOTHING = -1;

    private final TopicPartition partition;
    /** Offsets of messages that are not done, with the epoch of the leader that stored each. */
    private final TreeMap<Long, Optional<Integer>> open = new TreeMap<>();

    private long next = NOTHING;
    private Optional<Integer> lastEpoch = Optional.empty();
    private long committed = NOTHING;
    private boolean lost;

    PartitionProgress(TopicPartition partition) {
        this.partition = partition;
    }

    TopicPartition partition() {
        return partition;
    }

    synchronized void read(List<ConsumerRecord<byte[], byte[]>> records) {
        records.forEach(record -> open.put(record.offset(), record.leaderEpoch()));
        next = records.get(records.size() - 1).offset() + 1;
        lastEpoch = records.get(records.size() - 1).leaderEpoch();
    }

    /** A message is done and does not come again, unless the partition was lost: then its new owner gets it. */
    synchronized void done(long offset) {
        open.remove(offset);
    }

    /** Whether this one is ours, and not done. */
    synchronized boolean isOpen(long offset) {
        return !lost && open.containsKey(offset);
    }

    synchronized int unacknowledged() {
        return lost ? 0 : open.size();
    }

    /**
     * The offset to commit, or null if the broker knows it already. With the epoch of a leader, because offsets are
     * used again where a partition has lost its end: a consumer that goes on from here finds that out by the epoch
     * alone.
     */
    synchronized @Nullable OffsetAndMetadata news() {
        long safe = open.isEmpty() ? next : open.firstKey();
        Optional<Integer> epoch = open.isEmpty() ? lastEpoch : open.firstEntry().getValue();
        return lost || safe <= committed ? null : new OffsetAndMetadata(safe, epoch, "");
    }

    synchronized void committed(OffsetAndMetadata offset) {
        committed = Math.max(committed, offset.offset());
    }

    /** The partition belongs to another consumer from now on. */
    synchronized void lose() {
        lost = true;
    }
}
