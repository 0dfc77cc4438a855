package io.postrider.webhook;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The memory of a destination about one endpoint, between two requests. Thread-safe. */
final class Endpoint {
    private final Turnstile turnstile;
    private final ScheduledExecutorService timer;
    private final Deque<HttpConnection> idle = new ArrayDeque<>();
    private Instant alone = Instant.MIN;

    Endpoint(EndpointLimits limits, ScheduledExecutorService timer) {
        this.turnstile = new Turnstile(limits, timer, System::nanoTime);
        this.timer = timer;
    }

    Turnstile turnstile() {
        return turnstile;
    }

    /** The endpoint asks for nothing to be sent until then. */
    synchronized void leaveAlone(Instant until) {
        alone = until.isAfter(alone) ? until : alone;
    }

    /** Until when it wants to be left alone, if that is not over. */
    synchronized Optional<Instant> leftAlone(Instant now) {
        return alone.isAfter(now) ? Optional.of(alone) : Optional.empty();
    }

    /** A kept connection, the one last used first. */
    synchronized @Nullable HttpConnection kept() {
        return idle.pollFirst();
    }

    /** Keeps a connection for the next request, for a while. */
    void keep(HttpConnection connection, Duration time) {
        synchronized (this) {
            idle.addFirst(connection);
        }
        Future<?> unused = timer.schedule(() -> drop(connection), time.toNanos(), TimeUnit.NANOSECONDS);
    }

    private void drop(HttpConnection connection) {
        boolean unused;
        synchronized (this) {
            unused = idle.remove(connection);
        }
        if (unused) {
            connection.close();
        }
    }

    /** Whether nothing would be missed if it were forgotten. */
    synchronized boolean isForgettable(Instant now) {
        return idle.isEmpty() && !alone.isAfter(now) && turnstile.isEmpty();
    }
}
