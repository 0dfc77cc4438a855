package io.postrider;

import java.util.List;

/**
 * Acts on several events of a lane at once, in the transaction in which they are settled: one statement for fifty rows,
 * where fifty would do. The events come in the order of their positions, several of one key among them. The handler
 * neither commits nor rolls back.
 *
 * <p>An exception undoes the whole transaction, and each event is handled alone, in a list of one: so the event that is
 * at fault is found and tried again by its policy, and the others have their effect once.
 *
 * @param <T> the store's transaction handle, such as a JDBC {@code Connection}
 * @param <P> the payload's type
 */
@FunctionalInterface
public interface TransactionalBatchHandler<T, P> {
    void handle(T transaction, List<BatchHandler.Received<P>> events) throws Exception;
}
