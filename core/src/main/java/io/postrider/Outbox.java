package io.postrider;

import java.util.List;

/**
 * Where an application appends. Safe for use by several threads; a transaction is used by the calling thread only.
 *
 * @param <T> the store's transaction handle, such as a JDBC {@code Connection}
 */
public interface Outbox<T> {

    /**
     * Appends one event by one write in the caller's transaction. The event exists once the transaction commits; after
     * a rollback it never did.
     *
     * @throws IllegalArgumentException if the payload cannot be encoded or is over the limit
     */
    EventId append(T transaction, Event event);

    /** Appends several events, in this order, by one write. */
    List<EventId> append(T transaction, List<Event> events);
}
