package io.postrider;

/**
 * Acts on one event in a transaction of the store's database. The handler's effects there are committed once for each
 * event, however often the event is dispatched. The handler neither commits nor rolls back; an exception undoes its
 * effects, and the event is tried again.
 *
 * @param <T> the store's transaction handle, such as a JDBC {@code Connection}
 * @param <P> the payload's type
 */
@FunctionalInterface
public interface TransactionalHandler<T, P> {
    void handle(T transaction, P payload, EventContext context) throws Exception;
}
