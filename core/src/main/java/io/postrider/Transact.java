package io.postrider;

import io.postrider.store.StoreException;

/**
 * Runs work in a transaction of the store's.
 *
 * @param <T> the store's transaction handle
 */
public interface Transact<T> {

    /**
     * Runs the work in one transaction: committed when the work returns, rolled back when it throws.
     *
     * @throws StoreException if the store did not answer: the outcome is unknown
     * @throws Exception the work's own exception, or the store's reason for refusing the commit: everything is undone
     */
    <R> R transact(Work<T, R> work) throws Exception;

    /** Work to do in a transaction. */
    @FunctionalInterface
    interface Work<T, R> {
        R run(T transaction) throws Exception;
    }
}
