package io.postrider.observability;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/** Waits for what a node's threads do: looks again and again, until an assertion holds or patience is over. */
final class Eventually {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration PAUSE = Duration.ofMillis(2);

    private Eventually() {}

    static void holds(Runnable assertion) {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (true) {
            try {
                assertion.run();
                return;
            } catch (AssertionError e) {
                if (System.nanoTime() - deadline >= 0) {
                    throw e;
                }
            }
            LockSupport.parkNanos(PAUSE.toNanos());
        }
    }
}
