package io.postrider.engine.dispatch;

import io.postrider.destination.Destination;

/** A destination that can handle events in a transaction of the caller's, who commits it. */
public interface WithinTransaction<T> extends Destination {

    /** The same handlers in this transaction. */
    Destination within(T transaction);
}
