package io.postrider.tck;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/**
 * Waits for what another thread or another clock does: looks again and again, until an assertion holds or patience is
 * over. The only place in the suite that waits. Thread-safe.
 */
public final class Eventually {
    private static final Duration PAUSE = Duration.ofMillis(2);

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
        while (true) {
            try {
                return look.get();
            } catch (AssertionError e) {
                if (System.nanoTime() - deadline >= 0) {
                    throw e;
                }
            }
            LockSupport.parkNanos(pause.toNanos());
        }
    }
}
