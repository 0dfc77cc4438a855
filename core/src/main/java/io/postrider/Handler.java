package io.postrider;

/**
 * Acts on one event. Each event is handed over at least once; events of different keys come on several threads at once.
 * After an exception the event is tried again.
 *
 * @param <P> the payload's type
 */
@FunctionalInterface
public interface Handler<P> {
    void handle(P payload, EventContext context) throws Exception;
}
