package io.postrider.webhook;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Lets requests through to an endpoint: only so many at once, and each a little after the one before. Nobody's thread
 * waits. Thread-safe.
 */
final class Turnstile {
    private final int concurrency;
    private final long pace;
    private final ScheduledExecutorService timer;
    private final LongSupplier nanos;
    private final Queue<CompletableFuture<Void>> waiting = new ArrayDeque<>();
    private int inside;
    private long nextAt;

    Turnstile(EndpointLimits limits, ScheduledExecutorService timer, LongSupplier nanos) {
        this.concurrency = limits.concurrency();
        this.pace =
                limits.perSecond() == EndpointLimits.UNLIMITED ? 0 : TimeUnit.SECONDS.toNanos(1) / limits.perSecond();
        this.timer = timer;
        this.nanos = nanos;
        this.nextAt = nanos.getAsLong();
    }

    /** Completes when it is this one's turn. Whoever enters leaves. */
    CompletableFuture<Void> enter() {
        CompletableFuture<Void> turn = new CompletableFuture<>();
        long delay;
        synchronized (this) {
            if (inside == concurrency) {
                waiting.add(turn);
                return turn;
            }
            inside++;
            delay = takeToken();
        }
        open(turn, delay);
        return turn;
    }

    void leave() {
        CompletableFuture<Void> next;
        long delay = 0;
        synchronized (this) {
            next = waiting.poll();
            if (next == null) {
                inside--;
            } else {
                delay = takeToken();
            }
        }
        if (next != null) {
            open(next, delay);
        }
    }

    synchronized boolean isEmpty() {
        return inside == 0;
    }

    /** How long until there is a token for this request. */
    private long takeToken() {
        long now = nanos.getAsLong();
        long at = nextAt - now > 0 ? nextAt : now;
        nextAt = at + pace;
        return at - now;
    }

    private void open(CompletableFuture<Void> turn, long delay) {
        if (delay == 0) {
            turn.complete(null);
        } else {
            Future<?> unused = timer.schedule(() -> turn.complete(null), delay, TimeUnit.NANOSECONDS);
        }
    }
}
