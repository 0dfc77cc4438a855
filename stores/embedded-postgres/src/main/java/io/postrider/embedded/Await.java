package io.postrider.embedded;

import java.time.Duration;
import java.util.function.BooleanSupplier;

/** Waiting for another process, which tells nobody when it is done. */
final class Await {

    private static final Duration PAUSE = Duration.ofMillis(20);

    private Await() {}

    /**
     * Whether the condition came true in time. An interrupt does not end the wait, since a server half stopped helps
     * nobody, and is kept for the caller.
     */
    static boolean until(BooleanSupplier condition, Duration patience) {
        long deadline = System.nanoTime() + patience.toNanos();
        boolean interrupted = false;
        try {
            while (!condition.getAsBoolean()) {
                if (System.nanoTime() - deadline > 0) {
                    return false;
                }
                interrupted |= !pause();
            }
            return true;
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Waits a moment; false if the thread was interrupted, whose flag is then cleared. */
    static boolean pause() {
        try {
            Thread.sleep(PAUSE.toMillis());
            return true;
        } catch (InterruptedException e) {
            return false;
        }
    }
}
