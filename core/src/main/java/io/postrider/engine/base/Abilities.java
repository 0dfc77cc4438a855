package io.postrider.engine.base;

import io.postrider.store.Store;
import io.postrider.store.Store.Limitation;

/**
 * What a node's store can do, by its declared limitations. What the store cannot do is refused where the application
 * first asks for it, and not when the first event comes. Thread-safe.
 */
public final class Abilities {
    private final Store<?> store;

    public Abilities(Store<?> store) {
        this.store = store;
    }

    public boolean has(Limitation limitation) {
        return store.limitations().contains(limitation);
    }

    /**
     * @param what somebody does that needs transactions: "consumer 'letters' handles messages in transactions"
     * @param instead what can be done with a store without them
     */
    public void requireTransactions(String what, String instead) {
        require(Limitation.NO_TRANSACTIONS, "has no transactions", what, instead);
    }

    /** The same for work that undoes the effect of one event without those of others. */
    public void requireSavepoints(String what, String instead) {
        require(Limitation.NO_SAVEPOINTS, "has no savepoints", what, instead);
    }

    private void require(Limitation limitation, String words, String what, String instead) {
        if (has(limitation)) {
            throw new UnsupportedOperationException(what + ", and the store of log '" + store.log() + "' ("
                    + store.getClass().getSimpleName() + ") " + words + " (" + limitation + "): " + instead);
        }
    }
}
