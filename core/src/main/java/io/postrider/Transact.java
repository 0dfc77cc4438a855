package io.postrider;

import io.postrider.store.StoreException;

/**
 * Opens a transaction for those who have none.
 *
 * @param <T> the store's transaction handle
 */
public interface Transact<T> {

    /**
     * Runs the work in one transaction: committed when it returns, rolled back when it throws.
     *
     * @throws StoreException if the store did not answer: the outcome is unknown
     * @throws Exception what the work threw, or why the store refused the commit: everything is undone
     */
    <R> R transact(Work<T, R> work) throws Exception;

    /** What is to be done in a transaction. */
    @FunctionalInterface
    interface Work<T, R> {
        R run(T transaction) throws Exception;
    }
}
