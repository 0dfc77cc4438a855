package io.postrider.simulation;

import io.postrider.Limits;
import io.postrider.RetryPolicy;
import java.time.Duration;

/** The engine's limits in a run: small, so that every one of them is met. */
final class Settings {
    static final Limits LIMITS = builder().retain(Duration.ZERO).build();
    static final Limits KEEPING = builder().retain(Duration.ofHours(1)).build();

    private static Limits.Builder builder() {
        return Limits.builder()
                .batchEvents(4)
                .inFlightEvents(40)
                .concurrency(3)
                .parkedMax(6)
                .handlerTimeout(Duration.ofMillis(800))
                .settleAfter(Duration.ofMillis(150))
                .lease(Duration.ofSeconds(3))
                .pollMin(Duration.ofMillis(50))
                .pollMax(Duration.ofMillis(800))
                .rereadEvery(Duration.ofSeconds(2))
                .backoffMax(Duration.ofSeconds(1))
                .stopWait(Duration.ofSeconds(2))
                .pruneEvery(Duration.ofSeconds(1));
    }

    static final RetryPolicy RETRY =
            RetryPolicy.DEFAULT.attempts(3).pauses(Duration.ofMillis(100), Duration.ofSeconds(1));

    private Settings() {}
}
