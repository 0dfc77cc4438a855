package io.postrider.engine.base;

import io.postrider.store.StoreException;

/** Whom to tell that something fails: the node. */
public interface Trouble {
    /** The store does not answer. */
    void failing(StoreException failure);

    /** Something is to be claimed again that was dropped: a renewal looks for it. */
    void dropped();
}
