package io.postrider.kafka;

import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * What was read of one partition while it was ours, and what of that is done. Only what lies before the first message
 * that is not done may be committed. Offsets have gaps, so it is not counted but looked up. Thread-safe.
 */
final class Ledger {
    private static final long NOTHING = -1;

    private final TopicPartition partition;
    /** What is not done, with the epoch of the leader that stored it. */
    private final TreeMap<Long, Optional<Integer>> open = new TreeMap<>();

    private long next = NOTHING;
    private Optional<Integer> lastEpoch = Optional.empty();
    private long committed = NOTHING;
    private boolean lost;

    Ledger(TopicPartition partition) {
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

    /** It does not come again. No longer ours: it does, to whoever has the partition now. */
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
     * What to tell the broker that it does not know yet, or null. With the epoch of a leader, because offsets are used
     * again where a log has lost its end: whoever goes on from here finds that out by the epoch alone.
     */
    synchronized @Nullable OffsetAndMetadata news() {
        long safe = open.isEmpty() ? next : open.firstKey();
        Optional<Integer> epoch = open.isEmpty() ? lastEpoch : open.firstEntry().getValue();
        return lost || safe <= committed ? null : new OffsetAndMetadata(safe, epoch, "");
    }

    synchronized void committed(OffsetAndMetadata offset) {
        committed = Math.max(committed, offset.offset());
    }

    /** It is somebody else's from now on. */
    synchronized void lose() {
        lost = true;
    }
}
