package io.postrider.engine.base;

import io.postrider.policy.NodeLimits;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How much a node may hold in memory, in events and in bytes. Lanes that get nothing wait in a line and are called one
 * by one, each when what it wants is there: a thousand lanes that are all called for what one of them can have would do
 * little else.
 */
public final class Budget {
    private final Map<Runnable, Wanted> waiting = new LinkedHashMap<>();
    private long events;
    private long bytes;

    private record Wanted(long events, long bytes) {}

    public Budget(NodeLimits limits) {
        events = limits.inFlightEvents();
        bytes = limits.inFlightBytes();
    }

    /**
     * Takes this much, or nothing: then {@code retry} is called once when there is enough. Whoever is called may take
     * or not, and calls {@link #next} after that: it may be one that has ended meanwhile.
     */
    public synchronized boolean take(long wantedEvents, long wantedBytes, Runnable retry) {
        if (events < wantedEvents || bytes < wantedBytes) {
            waiting.put(retry, new Wanted(wantedEvents, wantedBytes));
            return false;
        }
        events -= wantedEvents;
        bytes -= wantedBytes;
        return true;
    }

    public void give(long returnedEvents, long returnedBytes) {
        synchronized (this) {
            events += returnedEvents;
            bytes += returnedBytes;
        }
        next();
    }

    /** Calls the first in the line, if there is enough for it. */
    public void next() {
        Runnable called = first();
        if (called != null) {
            called.run();
        }
    }

    private synchronized @Nullable Runnable first() {
        Iterator<Map.Entry<Runnable, Wanted>> line = waiting.entrySet().iterator();
        if (!line.hasNext()) {
            return null;
        }
        Map.Entry<Runnable, Wanted> first = line.next();
        if (events < first.getValue().events() || bytes < first.getValue().bytes()) {
            return null;
        }
        line.remove();
        return first.getKey();
    }
}
