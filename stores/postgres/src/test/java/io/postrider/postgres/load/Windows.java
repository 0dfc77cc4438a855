package io.postrider.postgres.load;

import java.time.Instant;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Stretches of time. Thread-safe. */
final class Windows {
    private final Queue<Window> windows = new ConcurrentLinkedQueue<>();

    private record Window(Instant from, Instant to) {
        boolean contains(Instant time) {
            return !time.isBefore(from) && time.isBefore(to);
        }
    }

    void add(Instant from, Instant to) {
        windows.add(new Window(from, to));
    }

    boolean contain(Instant time) {
        return windows.stream().anyMatch(window -> window.contains(time));
    }
}
