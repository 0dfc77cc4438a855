package io.postrider.store;

/**
 * Settle in the transaction of the effects: the cursor moves if they are committed, and only then.
 *
 * <p>Each method throws {@link StoreException} if the store did not answer, so that nobody knows what was committed,
 * and anything else if the store refuses: then everything is undone.
 *
 * @param <T> the store's transaction handle
 */
public interface SettleWithin<T> {

    /** Begins the part of the transaction that {@link #undo} undoes, up to the next mark. */
    void mark(T transaction) throws Exception;

    /** Undoes what was done since the mark, also after an error; what was done before it stays. */
    void undo(T transaction) throws Exception;

    /**
     * Writes the settlement if the lane is still held under its epoch, and commits. One step, so that a process which
     * is paused never holds the lane's lock.
     *
     * @return false if the lane was lost: nothing was written, and nothing of the transaction can be committed any more
     */
    boolean settle(T transaction, Settlement settlement) throws Exception;
}
