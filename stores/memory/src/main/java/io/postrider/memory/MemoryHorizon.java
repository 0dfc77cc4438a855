package io.postrider.memory;

import io.postrider.Position;
import io.postrider.store.Horizon;
import java.util.SortedMap;

/** By marks, like the store that a database has: nothing here is known sooner than it could be there. */
final class MemoryHorizon implements Horizon {
    private final MemoryState state;
    private int crashes;
    private long stable;
    /** Whoever drew a position up to the marked head has a lower xid than this. */
    private long bound;

    private long head;

    MemoryHorizon(MemoryState state) {
        this.state = state;
    }

    @Override
    public Position stable() {
        synchronized (state) {
            if (crashes != state.crashes()) { // positions are drawn again
                crashes = state.crashes();
                stable = 0;
                head = 0;
            }
            if (head == stable) {
                head = state.log.head();
                bound = state.log.bound();
            }
            SortedMap<Long, ?> running = state.log.appending();
            if (running.isEmpty() || running.firstKey() >= bound) {
                stable = head;
            }
            return new Position(stable);
        }
    }
}
