package io.postrider.engine;

import io.postrider.spi.StoreException;

/** Whom to tell that something fails: the node. */
interface Trouble {
    /** The store does not answer. */
    void failing(StoreException failure);

    /** Something is to be claimed again that was dropped: a renewal looks for it. */
    void dropped();
}
