package io.postrider.store;

import io.postrider.EventId;
import java.time.Duration;

/**
 * Which events a handler's effect has been committed for: one record for each, written in the transaction of the
 * effect.
 *
 * @param <T> the store's transaction handle
 */
public interface Processed<T> {
    /**
     * How long a record waits for another transaction that is still open and has made the same. Longer than a commit
     * takes, so that a faster node is met by its record as a rule; short beside any {@code handlerTimeout}, because the
     * wait holds a connection and a thread, and the other transaction may be that of a process which is frozen.
     */
    Duration WAIT = Duration.ofMillis(50);

    /**
     * Records the event for the handler in this transaction.
     *
     * @param handler the subscription's name
     * @return false if there is a record: the effect has been committed before
     * @throws ConflictException if another transaction has done the same and does not end within {@link #WAIT}. The
     *     transaction can be rolled back, or undone to its last mark, and go on with other events
     */
    boolean first(T transaction, EventId event, String handler);

    /**
     * The same for a subscription that keeps a record of each effect, and only as long as it does. Once its filter says
     * {@link FilterText#WITH_EFFECT}, nothing is recorded any more, by whichever node: the nodes that settle with their
     * effects look for records of earlier events alone.
     *
     * @throws ConflictException as {@link #first} does
     */
    Recorded record(T transaction, EventId event, String subscription);

    /** The answer to a subscription that wants to record an effect. */
    enum Recorded {
        /** The event is recorded now. */
        FIRST,
        /** The effect has been committed before. */
        REPEATED,
        /** The subscription settles with its effects by now, and this node's lanes were taken away. */
        OTHER_FORM
    }

    /**
     * Forgets records that are older than this, unless what they are about may still be dispatched again: what is
     * pending or waits in a delivery row holds back the records since it was last dispatched. A store may keep some
     * longer.
     *
     * @return whether it has forgotten any
     */
    boolean forget(Duration age);
}
