package io.postrider.postgres;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/** Waits for another thread or process: repeats an assertion until it holds or patience is over. */
public final class Eventually {
    private static final Duration PAUSE = Duration.ofMillis(50);

    private Eventually() {}

    public static void holds(Duration patience, ThrowingCallable assertion) {
        long deadline = System.nanoTime() + patience.toNanos();
        while (true) {
            try {
                assertion.call();
                return;
            } catch (AssertionError e) {
                if (System.nanoTime() - deadline >= 0) {
                    throw e;
                }
            } catch (Throwable e) {
                throw new AssertionError(e);
            }
            LockSupport.parkNanos(PAUSE.toNanos());
        }
    }
}
