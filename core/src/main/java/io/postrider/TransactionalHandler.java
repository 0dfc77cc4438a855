package io.postrider;

/**
 * Acts on one event in a transaction of the store's database: what it does there is committed once for each event,
 * however often the event is dispatched. It neither commits nor rolls back; an exception undoes what it did, and the
 * event is tried again.
 *
 * @param <T> the store's transaction handle, such as a JDBC {@code Connection}
 * @param <P> the payload's type
 */
@FunctionalInterface
public interface TransactionalHandler<T, P> {
    void handle(T transaction, P payload, EventContext context) throws Exception;
}
