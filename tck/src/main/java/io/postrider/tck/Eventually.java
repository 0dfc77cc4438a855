package io.postrider.tck;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/**
 * Waits for what another thread or another clock does: looks again and again, until an assertion holds or patience is
 * over, and the less often the longer it takes, because each look is work for the store. The only place in the suite
 * that waits. Thread-safe.
 */
public final class Eventually {
    private static final Duration PAUSE = Duration.ofMillis(2);
    private static final Duration PAUSE_MOST = Duration.ofMillis(20);

    private final Duration patience;
    private final Duration pause;

    public Eventually(Duration patience) {
        this(patience, PAUSE);
    }

    /** Looks less often, where each look is work for somebody else. */
    public Eventually(Duration patience, Duration pause) {
        this.patience = patience;
        this.pause = pause;
    }

    /** Repeats the assertion until it holds; throws its last failure if it does not in time. */
    public void holds(ThrowingCallable assertion) {
        gives(() -> {
            try {
                assertion.call();
                return true;
            } catch (RuntimeException | Error e) {
                throw e;
            } catch (Throwable e) {
                throw new AssertionError(e);
            }
        });
    }

    /** Repeats the look until it answers without an assertion error, and gives that answer. */
    public <R> R gives(Supplier<R> look) {
        long deadline = System.nanoTime() + patience.toNanos();
        long nanos = pause.toNanos();
        while (true) {
            try {
                return look.get();
            } catch (AssertionError e) {
                if (System.nanoTime() - deadline >= 0) {
                    throw e;
                }
            }
            LockSupport.parkNanos(nanos);
            nanos = longer(nanos);
        }
    }

    /** Looks again and again for all of this time, and throws the first failure. */
    static void stays(Duration time, Runnable assertion) {
        long end = System.nanoTime() + time.toNanos();
        do {
            assertion.run();
            LockSupport.parkNanos(PAUSE_MOST.toNanos()); // what might happen needs the processor, too
        } while (System.nanoTime() - end < 0);
        assertion.run();
    }

    private static long longer(long nanos) {
        return Math.max(nanos, Math.min(nanos * 3 / 2, PAUSE_MOST.toNanos()));
    }
}
