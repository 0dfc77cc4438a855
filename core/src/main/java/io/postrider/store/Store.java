package io.postrider.store;

import io.postrider.Transact;
import io.postrider.operate.Operable;
import java.util.Set;

/**
 * The ports of a store, each behind a method of its name: what the engine asks of it, and by {@link Operable} what
 * operators do. The {@code tck} module holds every store to the same guarantees.
 *
 * <p>Implementations are safe for use by several threads. Operations throw {@link StoreException} when the store does
 * not answer; the outcome is then unknown. They throw {@link RefusedException} when the store answers and refuses the
 * data of some event; nothing was written then.
 *
 * @param <T> the transaction handle: a JDBC {@code Connection}, a memory transaction, …
 */
public interface Store<T> extends Operable {

    /**
     * What this store cannot do, the same at any time and without asking a server. A node refuses what needs it where
     * the application first asks for it; the conformance suite asserts the refusal.
     */
    Set<Limitation> limitations();

    // ---- the log ----------------------------------------------------------------------------------------------------

    /**
     * How many lanes the log has, {@link io.postrider.Lane#COUNT_MIN} to {@link io.postrider.Lane#COUNT_MAX}: chosen
     * when the log was created, and the same for good. A store may ask for the number once; it waits for nothing
     * afterwards.
     */
    int lanes();

    /** Events join the caller's transaction. */
    Append<T> append();

    /** Messages from elsewhere, each appended once. */
    Receive<T> receive();

    /** Looks for news. */
    Watch watch();

    /** Up to where the log is decided. */
    Horizon horizon();

    /** Drops what nobody needs any more. */
    Prune prune();

    // ---- nodes and subscriptions ------------------------------------------------------------------------------------

    /** The subscriptions that the store knows. */
    Subscriptions subscriptions();

    /** The leases of nodes. */
    Renew renew();

    // ---- delivery ---------------------------------------------------------------------------------------------------

    /** Lanes, and the events behind their cursors. */
    Claim claim();

    /** The settlements of lanes. */
    Settle settle();

    /** Delivery rows of lanes, as their owners need them. */
    Park park();

    /** What destinations have acknowledged, for those that can lose it. */
    Seals seals();

    /** The tasks of subscriptions that are queues. */
    Tasks tasks();

    // ---- effects ----------------------------------------------------------------------------------------------------

    /** Transactions of the store. */
    Transact<T> transact();

    /** Work in transactions of others. */
    Join<T> join();

    /** The records of what handlers have done in this store. */
    Processed<T> processed();

    /** Settlements that commit with what handlers have done in this store. */
    SettleWithin<T> settleWithin();

    // ---- upkeep -----------------------------------------------------------------------------------------------------

    /** How nodes carry out decisions about many events. */
    Chunks chunks();

    /** How long what did not get through is kept. */
    Retain retain();

    /** What will expire. */
    Foresee foresee();

    /** Something a store may be unable to do. */
    enum Limitation {
        /**
         * Data is gone when the process ends. Nothing is refused: the next process begins with an empty store, and
         * retention for good lasts as long as the process.
         */
        NOT_DURABLE,
        /**
         * Nodes in other processes cannot share the store. Nothing is refused: each process has a log and subscriptions
         * of its own, and delivers what was appended in it.
         */
        ONE_PROCESS,
        /**
         * Nothing commits together with an application's own changes: an append is written at once, and
         * {@link #transact}, {@link #processed}, {@link #receive} and {@link #settleWithin} throw
         * {@link UnsupportedOperationException} where they are given work. A node refuses
         * {@code Postrider.transaction}, {@code Postrider.receive}, {@code Inbox.receive}, {@code onTransaction} of
         * subscriptions and consumers, and {@code settleWithEffect}. A store that declares this declares
         * {@link #NO_SAVEPOINTS} as well.
         */
        NO_TRANSACTIONS,
        /**
         * A part of a transaction cannot be undone without the whole: {@link SettleWithin#mark} and
         * {@link SettleWithin#undo} throw {@link UnsupportedOperationException}. A node refuses
         * {@code settleWithEffect}, where the effects of many events share a transaction; {@code onTransaction} has a
         * transaction for each.
         */
        NO_SAVEPOINTS
    }
}
