package io.postrider.store;

/**
 * Work in transactions that somebody else begins and ends, such as a framework's transaction manager.
 *
 * @param <T> the store's transaction handle
 */
public interface Join<T> {

    /**
     * Begins work in this transaction.
     *
     * @throws IllegalStateException if the work would be in no transaction of this store: the handle belongs to another
     *     database, has ended, or commits each statement by itself
     * @throws StoreException if the store did not answer
     */
    Joined<T> join(T transaction);

    /** Whether a commit that failed with this was not answered, so that nobody knows what became of it. */
    boolean isUnanswered(Throwable failure);

    /** Work in one transaction, by one thread, closed before the transaction ends. */
    interface Joined<T> extends AutoCloseable {

        /** The handle for the work, which refuses to end the transaction. */
        T handle();

        /**
         * Behind the work.
         *
         * @throws Exception if the transaction cannot be committed as it was begun: it has ended, or an error in it was
         *     hidden
         */
        void requireOpen() throws Exception;

        /** Whether the store has ended the transaction, so that nothing the work threw is the fault of the work. */
        boolean isBroken();

        @Override
        void close();
    }
}
