package io.postrider.tck;

import io.postrider.Postrider;
import io.postrider.PostriderConfig;
import io.postrider.store.Store;
import java.time.Duration;
import java.util.List;

/**
 * What the author of a {@link io.postrider.Transact} supplies to have it checked. The suite asks for a new fixture for
 * each test and closes it after it.
 *
 * @param <T> the store's transaction handle
 */
public interface TransactFixture<T> extends AutoCloseable {

    /** A store whose data nobody else uses. */
    Store<T> store();

    /** A node on this store with the Transact that is to be checked: {@code Postrider.on(store, config, transact)}. */
    Postrider<T> node(PostriderConfig config);

    /** Does something in this transaction that can be found by this name, as an application would. */
    void effect(T transaction, String name) throws Exception;

    /** The effects that have been committed. */
    List<String> effects();

    /** Does something in this transaction that the database refuses when it commits. */
    void refusedAtCommit(T transaction) throws Exception;

    /** Ends this transaction as a database does that goes away; the call itself may fail. */
    void breakOff(T transaction) throws Exception;

    /** Ends this transaction as work must not, by the handle that the work was given. */
    void commit(T transaction) throws Exception;

    /** How long the suite waits for something that another thread does; long, since nobody waits for success. */
    default Duration patience() {
        return Duration.ofSeconds(60);
    }

    @Override
    void close();
}
