package io.postrider.benchmarks.measure;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** When one event's transaction had done its work, when its commit returned, when its handler was entered first. */
public final class Stamps {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final CountDownLatch arrived = new CountDownLatch(1);
    private volatile long worked;
    private volatile long committed;
    private volatile long handled;

    public void worked(long nanos) {
        worked = nanos;
    }

    public void committed(long nanos) {
        committed = nanos;
    }

    public void handled(long nanos) {
        if (arrived.getCount() > 0) {
            handled = nanos;
            arrived.countDown();
        }
    }

    public void awaitHandled() throws InterruptedException {
        if (!arrived.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
            throw new IllegalStateException("an event was not handled within " + PATIENCE + " after the last commit");
        }
    }

    long withCommit() {
        return handled - worked;
    }

    /** The handler may be entered before the committing thread goes on: that is no time at all. */
    long afterCommit() {
        return Math.max(0, handled - committed);
    }
}
