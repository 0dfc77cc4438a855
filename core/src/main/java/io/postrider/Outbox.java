package io.postrider;

import java.util.List;

/**
 * Where an application appends. Safe for use by several threads; a transaction is used by the calling thread only.
 *
 * @param <T> the store's transaction handle, such as a JDBC {@code Connection}
 */
public interface Outbox<T> {

    /**
     * Appends one event in the caller's transaction: it exists if that commits, and only then. One write and nothing
     * else.
     *
     * @throws IllegalArgumentException if the payload cannot be encoded or is over the limit
     */
    EventId append(T transaction, Event event);

    /** Appends several, in this order, by one write. */
    List<EventId> append(T transaction, List<Event> events);
}
