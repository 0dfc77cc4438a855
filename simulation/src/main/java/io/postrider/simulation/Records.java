package io.postrider.simulation;

import io.postrider.EventId;
import io.postrider.memory.MemoryTransaction;
import io.postrider.store.Processed;
import java.util.HashMap;
import java.util.Map;

/** The store's records of what was processed, for callers that must not wait in it. */
final class Records {
    /** Another transaction that is still open has recorded the same. */
    static final Object TAKEN = "taken";

    private final Processed<MemoryTransaction> processed;
    private final Map<Key, MemoryTransaction> recording = new HashMap<>();

    private record Key(EventId event, String handler) {}

    Records(Processed<MemoryTransaction> processed) {
        this.processed = processed;
    }

    /** Whether it is first, or {@link #TAKEN}. */
    Object first(MemoryTransaction transaction, EventId event, String handler) {
        return isTaken(transaction, new Key(event, handler)) ? TAKEN : processed.first(transaction, event, handler);
    }

    /** How it was recorded, or {@link #TAKEN}. */
    Object record(MemoryTransaction transaction, EventId event, String subscription) {
        return isTaken(transaction, new Key(event, subscription))
                ? TAKEN
                : processed.record(transaction, event, subscription);
    }

    private boolean isTaken(MemoryTransaction transaction, Key key) {
        MemoryTransaction other = recording.get(key);
        if (other != null && other != transaction && other.isOpen()) {
            return true;
        }
        recording.put(key, transaction);
        return false;
    }
}
