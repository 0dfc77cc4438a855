package io.postrider.kafka;

import java.util.List;
import java.util.TreeSet;
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
    private final TreeSet<Long> open = new TreeSet<>();
    private long next = NOTHING;
    private long committed = NOTHING;
    private boolean lost;

    Ledger(TopicPartition partition) {
        this.partition = partition;
    }

    TopicPartition partition() {
        return partition;
    }

    synchronized void read(List<ConsumerRecord<byte[], byte[]>> records) {
        records.forEach(record -> open.add(record.offset()));
        next = records.get(records.size() - 1).offset() + 1;
    }

    /** It does not come again. No longer ours: it does, to whoever has the partition now. */
    synchronized void done(long offset) {
        open.remove(offset);
    }

    /** Whether this one is ours, and not done. */
    synchronized boolean isOpen(long offset) {
        return !lost && open.contains(offset);
    }

    synchronized int unacknowledged() {
        return lost ? 0 : open.size();
    }

    /** What to tell the broker that it does not know yet, or null. */
    synchronized @Nullable OffsetAndMetadata news() {
        long safe = open.isEmpty() ? next : open.first();
        return lost || safe <= committed ? null : new OffsetAndMetadata(safe);
    }

    synchronized void committed(OffsetAndMetadata offset) {
        committed = Math.max(committed, offset.offset());
    }

    /** It is somebody else's from now on. */
    synchronized void lose() {
        lost = true;
    }
}
