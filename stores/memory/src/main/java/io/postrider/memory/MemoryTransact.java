package io.postrider.memory;

import io.postrider.Transact;
import io.postrider.store.StoreException;

/** Transactions for those who have none. */
final class MemoryTransact implements Transact<MemoryTransaction> {
    private final MemoryState state;

    MemoryTransact(MemoryState state) {
        this.state = state;
    }

    @Override
    public <R> R transact(Work<MemoryTransaction, R> work) throws Exception {
        try (MemoryTransaction transaction = new MemoryTransaction(state)) {
            R result = lent(transaction, work);
            if (!transaction.hasEnded() || transaction.isBroken()) { // a settlement within it has committed it
                transaction.commit();
            }
            return result;
        }
    }

    /** What the work throws over a transaction that the store has ended is the store's. */
    private static StoreException broken(Throwable failure) {
        return new StoreException("the transaction was lost: " + failure.getMessage(), failure);
    }

    private static <R> R lent(MemoryTransaction transaction, Work<MemoryTransaction, R> work) throws Exception {
        try {
            return work.run(transaction.lend());
        } catch (Exception failure) {
            throw transaction.isBroken() ? broken(failure) : failure;
        } finally {
            transaction.takeBack();
        }
    }
}
