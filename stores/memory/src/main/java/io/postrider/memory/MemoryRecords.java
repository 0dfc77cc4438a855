package io.postrider.memory;

import io.postrider.store.ConflictException;
import io.postrider.store.StoreException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * What transactions have recorded, each thing once and with its time: a record appears when its transaction commits;
 * until then, others wait for that. Guarded by the {@link MemoryState} it belongs to.
 *
 * @param <K> what is recorded
 */
final class MemoryRecords<K> {
    private static final Duration FOREVER = Duration.ofDays(36_500);

    private final MemoryState state;
    private final Map<K, Instant> records = new HashMap<>();
    /** Who records what at present; those that have ended are removed now and then. */
    private final Map<K, MemoryTransaction> recording = new HashMap<>();

    MemoryRecords(MemoryState state) {
        this.state = state;
    }

    /** What is left of it after a crash: what was about to be recorded is not. */
    MemoryRecords<K> copy(MemoryState state) {
        MemoryRecords<K> copy = new MemoryRecords<>(state);
        copy.records.putAll(records);
        return copy;
    }

    /** Records it in this transaction; false if that was done before. */
    boolean first(MemoryTransaction transaction, K key) {
        return first(transaction, key, FOREVER);
    }

    /** The same, unless another transaction that records it does not end within this time. */
    boolean first(MemoryTransaction transaction, K key, Duration patience) {
        await(transaction, key, patience);
        if (records.containsKey(key) || recording.get(key) == transaction) {
            return false;
        }
        recording.put(key, transaction);
        transaction.onCommit(() -> records.put(key, state.now()));
        transaction.onUndo(() -> {
            recording.remove(key, transaction);
            state.notifyAll();
        });
        return true;
    }

    /** Whether it is recorded, by a transaction that has committed. */
    boolean has(K key) {
        return records.containsKey(key);
    }

    private void await(MemoryTransaction transaction, K key, Duration patience) {
        long began = System.nanoTime();
        MemoryTransaction other = recording.get(key);
        while (other != null && other != transaction && other.isOpen()) {
            long left = patience.toNanos() - (System.nanoTime() - began);
            if (left <= 0) {
                throw new ConflictException("another transaction that is still open has recorded the same");
            }
            try {
                TimeUnit.NANOSECONDS.timedWait(state, left);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new StoreException("interrupted while another transaction records the same", e);
            }
            other = recording.get(key);
        }
    }

    /** Forgets those that were recorded at this time or before, and that may go; true if there were any. */
    boolean forget(Instant until, Predicate<K> mayGo) {
        recording.values().removeIf(transaction -> !transaction.isOpen());
        return records.entrySet().removeIf(record -> !record.getValue().isAfter(until) && mayGo.test(record.getKey()));
    }

    void forget(Predicate<K> which) {
        records.keySet().removeIf(which);
    }
}
