package io.postrider;

/**
 * An outbox for one transaction that the caller ends, and whose commit the caller sees: a framework's synchronization
 * calls {@link #committed} behind it. The lanes of what was appended here are then woken at once, without a poll, and
 * without a statement or a wait of the calling thread.
 *
 * <p>The call is a hint and nothing else. Forgotten, or made in another process, it costs only the time until the next
 * look. Made before the commit, for a transaction that was rolled back, or twice, it costs a read of those lanes.
 *
 * <p>Appends are the transaction's thread's; {@link #committed} may be called by any.
 *
 * @param <T> the store's transaction handle, such as a JDBC {@code Connection}
 */
public interface TransactionOutbox<T> extends Outbox<T> {

    /** The transaction has committed: what was appended here since the last such call can be read now. */
    void committed();
}
