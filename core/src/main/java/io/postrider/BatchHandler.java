package io.postrider;

import java.util.List;

/**
 * Acts on several events at once, in their order. After an exception each event is tried again, alone.
 *
 * @param <P> the payload's type
 */
@FunctionalInterface
public interface BatchHandler<P> {
    void handle(List<Received<P>> events) throws Exception;

    /** One event of a batch. */
    record Received<P>(P payload, EventContext context) {}
}
