package io.postrider.engine.node;

import io.postrider.Environment;
import java.time.Duration;
import java.util.Collection;
import java.util.function.BooleanSupplier;
import java.util.function.IntConsumer;

/**
 * Sees to it that a node that stops ends, whatever the store does. Handlers are waited for as configured; once none
 * runs, a store that takes back no lane and answers nothing for {@link #GRACE} is not waited for any longer.
 * Thread-safe.
 */
final class StopWatch {
    /** How long a stop waits for the store after it has given up waiting for handlers. */
    static final Duration GRACE = Duration.ofSeconds(5);

    private static final Duration LOOK = Duration.ofMillis(100);

    private final Environment environment;
    private final Collection<SubscriptionRun> runs;
    private final BooleanSupplier quiet;
    private final IntConsumer unfinished;
    private final long endNanos;
    private int lanes = -1;
    private long sinceNanos;
    private boolean ended;

    /**
     * @param quiet whether no handler runs
     * @param longest how long a stop takes at most
     * @param unfinished is told how many lanes are left
     */
    StopWatch(
            Environment environment,
            Collection<SubscriptionRun> runs,
            BooleanSupplier quiet,
            Duration longest,
            IntConsumer unfinished) {
        this.environment = environment;
        this.runs = runs;
        this.quiet = quiet;
        this.unfinished = unfinished;
        this.endNanos = environment.nanos() + longest.toNanos();
    }

    synchronized void start() {
        if (!ended) {
            environment.scheduleRenewal(LOOK, this::look); // other threads may all wait for the store
        }
    }

    synchronized void end() {
        ended = true;
    }

    private void look() {
        int left = runs.stream().mapToInt(SubscriptionRun::lanesLeft).sum();
        if (isOver(left)) {
            unfinished.accept(left);
        } else {
            start();
        }
    }

    private synchronized boolean isOver(int left) {
        long now = environment.nanos();
        if (left != lanes || !quiet.getAsBoolean()) {
            lanes = left;
            sinceNanos = now;
        }
        return now - sinceNanos >= GRACE.toNanos() || now - endNanos >= 0;
    }
}
