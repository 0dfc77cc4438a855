package io.postrider.memory;

import io.postrider.Transact;
import io.postrider.store.Store;
import io.postrider.tck.StoreTransact;
import io.postrider.tck.TransactFixture;
import io.postrider.tck.TransactSuite;

/** A manager beside the store that begins and ends its transactions, and throws exceptions of its own. */
class ForeignTransactTest extends TransactSuite<MemoryTransaction> {

    @Override
    protected TransactFixture<MemoryTransaction> fixture() {
        return StoreTransact.of(new MemoryFixture(), Manager::new);
    }

    record Manager(Store<MemoryTransaction> store) implements Transact<MemoryTransaction> {
        @Override
        public <R> R transact(Work<MemoryTransaction, R> work) throws Exception {
            MemoryTransaction transaction = ((MemoryStore) store).begin();
            R result;
            try {
                result = work.run(transaction);
            } catch (Throwable failure) {
                rollBack(transaction);
                throw failure;
            }
            commit(transaction);
            return result;
        }

        private static void rollBack(MemoryTransaction transaction) {
            try {
                transaction.rollback();
            } catch (RuntimeException e) {
                throw new UnsupportedOperationException("the manager cannot roll back", e);
            }
        }

        private static void commit(MemoryTransaction transaction) {
            try {
                transaction.commit();
            } catch (RuntimeException e) {
                throw new UnsupportedOperationException("the manager cannot commit", e);
            }
        }
    }
}
