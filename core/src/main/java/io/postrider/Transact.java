package io.postrider;

import io.postrider.store.StoreException;

/**
 * Opens a transaction for those who have none. Each store has one; a framework's transaction manager is another one,
 * and {@link Postrider#on(io.postrider.store.Store, PostriderConfig, Transact)} takes it. Called by several threads at
 * once.
 *
 * <p>An implementation keeps these promises; {@code TransactSuite} of the {@code tck} module checks them:
 *
 * <ol>
 *   <li>The handle is a transaction of the store's own database. The transaction is open when the work begins, and
 *       nobody but the implementation ends it.
 *   <li>The work runs on the calling thread, once. Work whose transaction was rolled back may be run again in a new
 *       one.
 *   <li>The transaction is one of its own, also where the caller has one open: it has been committed when this method
 *       returns. A transaction that was only marked for rollback must not return as if it had been committed.
 *   <li>Everything is undone when the work throws, an {@link Error} too, and this method throws the same.
 *   <li>A commit that is refused throws the refusal; a store that does not answer is a {@link StoreException}. What an
 *       implementation throws before the work began counts as such.
 * </ol>
 *
 * <p>Postrider refuses what it can see: a handle of another database, one whose statements commit by themselves, a
 * transaction that has ended or failed when the work returns, work on another thread, work that was never run, and work
 * whose exception was swallowed. It cannot see a transaction that was committed and begun anew under the work, nor a
 * rollback that is reported as a commit: the effect of an event would be gone then, though it counts as delivered.
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
