package io.postrider.postgres.load;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/** Waits at the boundary of a process: repeats an assertion until it holds or patience is over. */
final class Eventually {
    private static final Duration PAUSE = Duration.ofMillis(100);

    private Eventually() {}

    static void holds(Duration patience, ThrowingCallable assertion) {
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
