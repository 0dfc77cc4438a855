package io.postrider.spi;

import java.util.Set;

/**
 * Everything the engine asks of a store. The {@code tck} module holds every store to the same guarantees.
 *
 * <p>Implementations are safe for use by several threads. Operations throw {@link StoreException} when the store does
 * not answer; the outcome is then unknown.
 *
 * @param <T> the transaction handle: a JDBC {@code Connection}, a memory transaction, …
 */
public interface Store<T>
        extends Append<T>, Transact<T>, Subscriptions, Renew, Claim, Settle, Watch, Prune, Browse, Operate {

    /** The tasks of subscriptions that are queues. */
    Tasks tasks();

    /** Finds events, and tells what became of them. */
    Search search();

    /** What this store cannot do. The conformance suite asserts the refusal. */
    Set<Limitation> limitations();

    /** Something a store may be unable to do. */
    enum Limitation {
        /** Data is gone when the process ends. */
        NOT_DURABLE,
        /** Nodes in other processes cannot share it. */
        ONE_PROCESS
    }
}
