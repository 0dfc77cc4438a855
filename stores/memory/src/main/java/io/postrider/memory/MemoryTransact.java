package io.postrider.memory;

import io.postrider.spi.Transact;

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
            if (!transaction.hasEnded()) { // a settlement within it has committed it
                transaction.commit();
            }
            return result;
        }
    }

    private static <R> R lent(MemoryTransaction transaction, Work<MemoryTransaction, R> work) throws Exception {
        try {
            return work.run(transaction.lend());
        } finally {
            transaction.takeBack();
        }
    }
}
