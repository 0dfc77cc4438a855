package io.postrider.redis;

/** Takes events from a bus. Called by one thread for all events of a key, and by several for different keys. */
@FunctionalInterface
public interface BusHandler {

    /** An exception is logged and counted; the event does not come again. */
    void handle(BusEvent event) throws Exception;
}
