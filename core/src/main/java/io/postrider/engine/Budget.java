package io.postrider.engine;

import io.postrider.Limits;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** How much a node may hold in memory, in events and in bytes. A lane that gets nothing is called when some is back. */
final class Budget {
    private final Set<Runnable> waiting = new LinkedHashSet<>();
    private long events;
    private long bytes;

    Budget(Limits limits) {
        events = limits.inFlightEvents();
        bytes = limits.inFlightBytes();
    }

    /** Takes this much, or nothing: then {@code retry} is called once when some has been given back. */
    synchronized boolean take(long wantedEvents, long wantedBytes, Runnable retry) {
        if (events < wantedEvents || bytes < wantedBytes) {
            waiting.add(retry);
            return false;
        }
        events -= wantedEvents;
        bytes -= wantedBytes;
        return true;
    }

    /** Gives back, and calls everyone who waits: one of them alone might have ended meanwhile, and tell nobody. */
    void give(long returnedEvents, long returnedBytes) {
        List<Runnable> called;
        synchronized (this) {
            events += returnedEvents;
            bytes += returnedBytes;
            called = List.copyOf(waiting);
            waiting.clear();
        }
        called.forEach(Runnable::run);
    }
}
