package io.postrider.observe;

import io.postrider.Event;
import io.postrider.destination.Destination;
import io.postrider.destination.Outcome;
import java.util.List;

/**
 * Whoever wants to know what a node does. Called by the engine's own threads, several at once: it returns soon, and
 * what it throws is logged and goes no further.
 */
public interface Observer {
    void observe(Observation observation);

    /** The observer of one log, for one that tells logs apart; a node asks once, when it is made. */
    default Observer forLog(String log) {
        return this;
    }

    /** True if this observer writes a log line for each failure: the engine leaves its own out then. */
    default boolean logsFailures() {
        return false;
    }

    /** Called on the appending thread before the write: may add headers, such as the trace it belongs to. */
    default Event appending(Event event) {
        return event;
    }

    /** Called on the thread that is about to call a destination. */
    default Dispatching dispatching(List<Destination.Dispatch> dispatches) {
        return Dispatching.NONE;
    }

    /** One call of a destination, as an observer follows it. */
    interface Dispatching {
        Dispatching NONE = new Dispatching() {};

        /** The thread goes on: a handler has returned, or a destination will answer later. */
        default void left() {}

        /** The outcomes are there, in the order of the dispatches; on whichever thread. */
        default void answered(List<Outcome> outcomes) {}
    }
}
