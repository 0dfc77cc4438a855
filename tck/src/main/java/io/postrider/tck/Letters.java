package io.postrider.tck;

import io.postrider.EventContext;
import io.postrider.Handler;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** A handler that remembers what it was given, fails where it is told to and waits at gates. Thread-safe. */
final class Letters implements Handler<String> {
    private final List<Seen> started = new ArrayList<>();
    private final List<Seen> delivered = new ArrayList<>();
    private final Map<String, Integer> failures = new HashMap<>();
    private final Map<String, Gate> gates = new HashMap<>();
    private final Set<Object> active = new HashSet<>();
    private boolean overlapped;

    /** An event as a handler saw it. */
    record Seen(String text, EventContext context, Instant at) {}

    /** The event with this text fails this often. */
    synchronized Letters fail(String text, int times) {
        failures.put(text, times);
        return this;
    }

    Letters failAlways(String text) {
        return fail(text, Integer.MAX_VALUE);
    }

    synchronized void heal() {
        failures.clear();
    }

    /** The event with this text waits at this gate, the first time it comes. */
    synchronized Letters hold(String text, Gate gate) {
        gates.put(text, gate);
        return this;
    }

    @Override
    public void handle(String text, EventContext context) throws Exception {
        Seen seen = new Seen(text, context, Instant.now());
        Gate gate = start(seen);
        boolean fails;
        try {
            if (gate != null) {
                gate.pass();
            }
        } finally {
            fails = end(seen);
        }
        if (fails) {
            throw new IllegalStateException(text + " is undeliverable");
        }
        synchronized (this) {
            delivered.add(seen);
        }
    }

    private synchronized @org.jspecify.annotations.Nullable Gate start(Seen seen) {
        started.add(seen);
        overlapped |= !active.add(seen.context().event().orderKey());
        return gates.remove(seen.text());
    }

    private synchronized boolean end(Seen seen) {
        active.remove(seen.context().event().orderKey());
        int left = failures.getOrDefault(seen.text(), 0);
        failures.put(seen.text(), left - (left > 0 ? 1 : 0));
        return left > 0;
    }

    synchronized List<String> started() {
        return started.stream().map(Seen::text).toList();
    }

    synchronized List<String> delivered() {
        return delivered.stream().map(Seen::text).toList();
    }

    synchronized List<String> delivered(String key) {
        return delivered.stream()
                .filter(seen -> key.equals(seen.context().event().key()))
                .map(Seen::text)
                .toList();
    }

    /** The numbers of the attempts an event has had. */
    synchronized List<Integer> attempts(String text) {
        return started.stream()
                .filter(seen -> seen.text().equals(text))
                .map(seen -> seen.context().attempt())
                .toList();
    }

    /** When its handler was entered first. */
    synchronized Instant startedAt(String text) {
        return started.stream()
                .filter(seen -> seen.text().equals(text))
                .map(Seen::at)
                .findFirst()
                .orElseThrow(() -> new AssertionError(text + " was not dispatched"));
    }

    synchronized EventContext context(String text) {
        return delivered.stream()
                .filter(seen -> seen.text().equals(text))
                .map(Seen::context)
                .findFirst()
                .orElseThrow(() -> new AssertionError(text + " was not delivered"));
    }

    /** Whether two events of one key ever ran at the same time. */
    synchronized boolean overlapped() {
        return overlapped;
    }
}
