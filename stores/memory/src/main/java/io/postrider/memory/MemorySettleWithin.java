package io.postrider.memory;

import io.postrider.store.SettleWithin;
import io.postrider.store.Settlement;

/** Settle in the transaction of the effects: both, at one moment, or neither. */
final class MemorySettleWithin implements SettleWithin<MemoryTransaction> {
    private final MemoryState state;
    private final MemorySettle settle;

    MemorySettleWithin(MemoryState state, MemorySettle settle) {
        this.state = state;
        this.settle = settle;
    }

    @Override
    public void mark(MemoryTransaction transaction) {
        synchronized (state) {
            transaction.mark();
        }
    }

    @Override
    public void undo(MemoryTransaction transaction) {
        synchronized (state) {
            transaction.undo();
        }
    }

    @Override
    public boolean settle(MemoryTransaction transaction, Settlement settlement) {
        synchronized (state) {
            transaction.check();
            if (!settle.settle(settlement)) {
                return false;
            }
            transaction.commitNow();
            return true;
        }
    }
}
