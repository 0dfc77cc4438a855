package io.postrider.engine.dispatch;

import io.postrider.EventContext;
import io.postrider.EventId;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Which events were running when the store's transaction broke under them. A store that goes away is no fault of
 * theirs, and no attempt counts; but an event may be what breaks it, such as by a statement that ends its session, and
 * would then be tried for ever. So after {@value #FREE} breaks in a row, each of which the store has survived, every
 * further one is an attempt of the event. A transaction that could not even be had is never one.
 *
 * <p>Known to this node only, and forgotten when it ends: the next one counts anew. Thread-safe.
 */
final class Breaks {
    /** In a row under the same event: as often it may be chance, or a store that is restarted again and again. */
    static final int FREE = 3;
    /** Of more, the oldest are forgotten. */
    private static final int REMEMBERED_MAX = 10_000;

    private final Map<Of, Integer> inARow = new LinkedHashMap<>();

    private record Of(String handler, EventId event) {}

    /** A transaction broke under an event; whether that is an attempt by now. */
    synchronized boolean blames(EventContext context) {
        return blames(context.subscription(), context.id());
    }

    synchronized boolean blames(String handler, EventId event) {
        int breaks = inARow.merge(new Of(handler, event), 1, Integer::sum);
        if (inARow.size() > REMEMBERED_MAX) {
            inARow.remove(inARow.keySet().iterator().next());
        }
        return breaks > FREE;
    }

    /** Whether the next break under an event is an attempt. */
    synchronized boolean suspects(String handler, EventId event) {
        return !inARow.isEmpty() && inARow.getOrDefault(new Of(handler, event), 0) >= FREE;
    }

    /** Whether the last transaction that the event ran in broke. */
    synchronized boolean last(String handler, EventId event) {
        return !inARow.isEmpty() && inARow.containsKey(new Of(handler, event));
    }

    /** The store has answered for it, whatever it said. */
    void over(EventContext context) {
        over(context.subscription(), context.id());
    }

    synchronized void over(String handler, EventId event) {
        if (!inARow.isEmpty()) {
            inARow.remove(new Of(handler, event));
        }
    }
}
