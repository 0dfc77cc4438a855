package io.postrider.store;

import io.postrider.Transact;
import io.postrider.operate.Audit;
import io.postrider.operate.Browse;
import io.postrider.operate.DeadEvents;
import io.postrider.operate.Operate;
import io.postrider.operate.Operations;
import io.postrider.operate.Search;
import java.util.Set;

/**
 * Everything the engine asks of a store. The {@code tck} module holds every store to the same guarantees.
 *
 * <p>Implementations are safe for use by several threads. Operations throw {@link StoreException} when the store does
 * not answer; the outcome is then unknown. They throw {@link RefusedException} when the store answers and refuses the
 * data of some event; nothing was written then.
 *
 * @param <T> the transaction handle: a JDBC {@code Connection}, a memory transaction, …
 */
public interface Store<T> extends Append<T>, Transact<T>, Subscriptions, Renew, Claim, Settle, Watch, Prune, Browse {

    /** The name of its log, such as {@code outbox} or {@code inbox}: metrics are told apart by it. */
    String log();

    /** Delivery rows of lanes, as their owners need them. */
    Park park();

    /** The tasks of subscriptions that are queues. */
    Tasks tasks();

    /** The records of what handlers have done in this store. */
    Processed<T> processed();

    /** Messages from elsewhere, each appended once. */
    Receive<T> receive();

    /** Settlements that commit with what handlers have done in this store. */
    SettleWithin<T> settleWithin();

    /** What destinations have acknowledged, for those that can lose it. */
    Seals seals();

    /** What operators decide. */
    Operate operate();

    /** What operators decided. */
    Audit audit();

    /** Decisions about many events. */
    Operations operations();

    /** How nodes carry those out. */
    Chunks chunks();

    /** What is kept of events that did not get through, and for how long. */
    Retain retain();

    /** Dead events that are kept apart. */
    DeadEvents deadEvents();

    /** What will expire. */
    Foresee foresee();

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
