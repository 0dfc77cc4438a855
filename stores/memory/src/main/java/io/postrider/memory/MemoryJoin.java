package io.postrider.memory;

import io.postrider.store.Join;
import io.postrider.store.StoreException;

/** Work in transactions that somebody else has begun. */
final class MemoryJoin implements Join<MemoryTransaction> {
    private final MemoryState state;

    MemoryJoin(MemoryState state) {
        this.state = state;
    }

    @Override
    public Joined<MemoryTransaction> join(MemoryTransaction transaction) {
        if (!transaction.belongsTo(state)) {
            throw new IllegalStateException("the transaction belongs to another store than this node's");
        }
        transaction.requireOpen();
        transaction.lend();
        return new Work(transaction);
    }

    @Override
    public boolean isUnanswered(Throwable failure) {
        return failure instanceof StoreException;
    }

    private record Work(MemoryTransaction handle) implements Joined<MemoryTransaction> {
        @Override
        public void requireOpen() {
            handle.requireOpen();
        }

        @Override
        public boolean isBroken() {
            return handle.isBroken();
        }

        @Override
        public void close() {
            handle.takeBack();
        }
    }
}
