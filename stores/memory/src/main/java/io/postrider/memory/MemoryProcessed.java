package io.postrider.memory;

import io.postrider.EventId;
import io.postrider.spi.Processed;
import io.postrider.spi.StoreException;
import java.time.Duration;
import java.time.Instant;

/** Processed: a record appears when its transaction commits; until then, others wait for that. */
final class MemoryProcessed implements Processed<MemoryTransaction> {
    private final MemoryState state;

    /** An event that a handler has processed. */
    record Key(EventId event, String handler) {}

    MemoryProcessed(MemoryState state) {
        this.state = state;
    }

    @Override
    public boolean first(MemoryTransaction transaction, EventId event, String handler) {
        Key key = new Key(event, handler);
        synchronized (state) {
            await(transaction, key);
            if (state.processed.containsKey(key) || state.recording.get(key) == transaction) {
                return false;
            }
            state.recording.put(key, transaction);
            transaction.onCommit(() -> state.processed.put(key, state.now()));
            return true;
        }
    }

    private void await(MemoryTransaction transaction, Key key) {
        MemoryTransaction other = state.recording.get(key);
        while (other != null && other != transaction && other.isOpen()) {
            try {
                state.wait();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new StoreException("interrupted while another transaction records the same event", e);
            }
            other = state.recording.get(key);
        }
    }

    @Override
    public boolean forget(Duration age) {
        synchronized (state) {
            state.recording.values().removeIf(transaction -> !transaction.isOpen());
            Instant before = state.now().minus(age);
            return state.processed
                    .entrySet()
                    .removeIf(record -> !record.getValue().isAfter(before) && !mayComeAgain(record.getKey()));
        }
    }

    private boolean mayComeAgain(Key key) {
        return state.unsettled(key.handler(), key.event());
    }
}
