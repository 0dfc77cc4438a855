package io.postrider;

/**
 * Acts on one event. Called at least once for each, by several threads at once for different keys; an exception means
 * that it is tried again.
 *
 * @param <P> the payload's type
 */
@FunctionalInterface
public interface Handler<P> {
    void handle(P payload, EventContext context) throws Exception;
}
