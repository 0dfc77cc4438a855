package io.postrider.webhook;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

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
    private boolean timed;
    /** Whether someone has been waiting for {@link #nextAt}: a timer that is late does not slow the pace. */
    private boolean awaited;

    Turnstile(EndpointLimits limits, ScheduledExecutorService timer, LongSupplier nanos) {
        this.concurrency = limits.concurrency();
        this.pace =
                limits.perSecond() == EndpointLimits.UNLIMITED ? 0 : TimeUnit.SECONDS.toNanos(1) / limits.perSecond();
        this.timer = timer;
        this.nanos = nanos;
        this.nextAt = nanos.getAsLong();
    }

    /** Completes when it is this one's turn. Whoever enters leaves; whoever cancels before that waits no longer. */
    CompletableFuture<Void> enter() {
        CompletableFuture<Void> turn = new CompletableFuture<>();
        synchronized (this) {
            waiting.add(turn);
        }
        CompletableFuture<?> unused = turn.whenComplete((entered, gone) -> {
            if (gone != null) {
                forget(turn);
            }
        });
        letIn();
        return turn;
    }

    private synchronized void forget(CompletableFuture<Void> turn) {
        waiting.removeIf(other -> other == turn);
    }

    void leave() {
        free();
        letIn();
    }

    private synchronized void free() {
        inside--;
    }

    synchronized boolean isEmpty() {
        return inside == 0 && waiting.isEmpty();
    }

    private void letIn() {
        for (CompletableFuture<Void> next = next(); next != null; next = next()) {
            if (!next.complete(null)) {
                free(); // it was cancelled just now
            }
        }
    }

    /** Whose turn it is. The place and the time are taken only then, so that whoever cancels has kept neither. */
    private synchronized @Nullable CompletableFuture<Void> next() {
        if (inside == concurrency || waiting.isEmpty()) {
            awaited = false;
            return null;
        }
        long now = nanos.getAsLong();
        if (nextAt - now > 0) {
            awaitPace(nextAt - now);
            return null;
        }
        inside++;
        nextAt = (awaited ? nextAt : now) + pace;
        return waiting.poll();
    }

    private void awaitPace(long delay) {
        awaited = true;
        if (!timed) {
            Future<?> unused = timer.schedule(this::onTime, delay, TimeUnit.NANOSECONDS);
            timed = true;
        }
    }

    private void onTime() {
        synchronized (this) {
            timed = false;
        }
        letIn();
    }
}
