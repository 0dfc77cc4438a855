package io.postrider.tck;

import io.postrider.EventId;
import io.postrider.store.Store;
import java.time.Duration;
import java.util.List;

/**
 * What a store supplies to be held to its guarantees. The suite asks for a new fixture for each test and closes it
 * after it; a fixture is used by one test only.
 *
 * <p>{@link #open()} is called first and once, {@link #reopen} at most once and last.
 *
 * @param <T> the store's transaction handle
 */
public interface StoreFixture<T> extends AutoCloseable {

    /** What {@link #refusedAtCommit} is refused with: in the message of the error, in whatever words beside. */
    String REFUSED = "division by zero";

    /** A fresh store: no events, no subscriptions, no nodes. Positions may begin anywhere. */
    Store<T> open();

    /**
     * The same with a log of so many lanes, called instead of {@link #open()}.
     *
     * @throws IllegalArgumentException if a log cannot have that many
     */
    Store<T> open(int lanes);

    /** A store on the same data for another node in this process; the same instance if it is meant to be shared. */
    Store<T> another();

    /**
     * What another process gets when it opens the store with the same configuration: the same data, or an empty store
     * of its own where the store declares {@link Store.Limitation#ONE_PROCESS}.
     */
    Store<T> elsewhere();

    /**
     * What the next process gets after this one has ended: the same data, or an empty store where the store declares
     * {@link Store.Limitation#NOT_DURABLE}. Stores opened before, and their transactions, are void from now on.
     */
    Store<T> reopen();

    /** Opens a transaction by hand. Several are open at once, used by one thread, and end in any order. */
    T begin();

    void commit(T transaction);

    void rollback(T transaction);

    /** Does something beside the log, in the same database and in this transaction, that can be found by this name. */
    void effect(T transaction, String name) throws Exception;

    /**
     * Does something in this transaction that the store refuses when it commits: a deferred check of the application's
     * own that fails, where there is such a thing with an error which a statement can fail with, too.
     */
    void refusedAtCommit(T transaction) throws Exception;

    /**
     * Ends this transaction as a database does that goes away: whoever works in it meets an error, nothing of it is
     * committed, and the next transaction is a good one. The call itself may fail with that error.
     */
    void breakOff(T transaction) throws Exception;

    /** From now on, the store refuses to commit a transaction that has appended an event with this text as payload. */
    void refuseAtCommit(String text);

    /** Damages what the log has under this id, so that no event can be made of it any more. */
    void damage(EventId id);

    /** Takes this event out of the log, although there are delivery rows about it. */
    void lose(EventId id);

    /** From now on, the store refuses delivery rows whose errors have this text in them. */
    void refuseErrors(String text);

    /** The effects that have been committed, each as often as it was. */
    List<String> effects();

    /**
     * The most events a prune leaves although it could drop them, because it drops whole segments only: 0 for a store
     * without segments. Stores with segments open with small ones here.
     */
    int segmentEvents();

    /** How long the suite waits for something that another thread does; long, since nobody waits for success. */
    default Duration patience() {
        return Duration.ofSeconds(60);
    }

    /** Ends transactions that are still open and removes the data. */
    @Override
    void close();
}
