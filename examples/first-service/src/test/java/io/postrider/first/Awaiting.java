package io.postrider.first;

import java.time.Duration;

/** Waits for what other threads do. */
final class Awaiting {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private Awaiting() {}

    static void until(Runnable assertion) throws InterruptedException {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (true) {
            try {
                assertion.run();
                return;
            } catch (AssertionError e) {
                if (System.nanoTime() > deadline) {
                    throw e;
                }
                Thread.sleep(10);
            }
        }
    }
}
