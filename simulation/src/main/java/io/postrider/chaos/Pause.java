package io.postrider.chaos;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Waiting at the boundary of processes, which tell nobody when they are done. */
final class Pause {
    private static final Duration BETWEEN_LOOKS = Duration.ofMillis(50);

    /** Something of another process that is looked at. */
    @FunctionalInterface
    interface Condition {
        boolean holds() throws Exception;
    }

    private Pause() {}

    static void of(Duration duration) throws InterruptedException {
        TimeUnit.NANOSECONDS.sleep(duration.toNanos());
    }

    /** Whether the condition came true in time. */
    static boolean until(Duration patience, Condition condition) throws Exception {
        Moment begin = Moment.now();
        while (!condition.holds()) {
            if (begin.age().compareTo(patience) > 0) {
                return false;
            }
            of(BETWEEN_LOOKS);
        }
        return true;
    }

    static void require(String what, Duration patience, Condition condition) throws Exception {
        if (!until(patience, condition)) {
            throw new IOException(what + " took longer than " + patience.toSeconds() + " s");
        }
    }
}
