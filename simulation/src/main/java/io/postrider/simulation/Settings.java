package io.postrider.simulation;

import io.postrider.policy.DeadLetters;
import io.postrider.policy.NodeLimits;
import io.postrider.policy.Queue;
import io.postrider.policy.Retention;
import io.postrider.policy.RetryPolicy;
import java.time.Duration;

/** The engine's limits in a run: small, so that every one of them is met. */
final class Settings {
    /** Held rows of a lane: so few that the next ones are read when none is left. */
    static final int HELD = 2;

    static final NodeLimits LIMITS = limits(HELD, false);

    static NodeLimits limits(int held, boolean keeping) {
        return builder()
                .subscriptions(s -> s.parkedHeld(held))
                .retain(keeping ? Duration.ofHours(1) : Duration.ZERO)
                .build();
    }

    private static NodeLimits.Builder builder() {
        return NodeLimits.builder()
                .subscriptions(s -> s.batchEvents(4)
                        .concurrency(3)
                        .parkedMax(6)
                        .parkedBehindMax(12)
                        .handlerTimeout(Duration.ofMillis(800))
                        .settleAfter(Duration.ofMillis(150))
                        .rereadEvery(Duration.ofSeconds(2))
                        .settleQuietEvery(Duration.ofSeconds(2)))
                .inFlightEvents(40)
                .lease(Duration.ofSeconds(3))
                .pollMin(Duration.ofMillis(50))
                .pollMax(Duration.ofMillis(800))
                .backoffMax(Duration.ofSeconds(1))
                .stopWait(Duration.ofSeconds(2))
                .pruneEvery(Duration.ofSeconds(1));
    }

    static final RetryPolicy RETRY =
            RetryPolicy.DEFAULT.attempts(3).pauses(Duration.ofMillis(100), Duration.ofSeconds(1));

    static final Queue QUEUE = Queue.DEFAULT
            .lease(Duration.ofSeconds(2))
            .timeout(Duration.ofMillis(800))
            .most(6)
            .expiresSoon(Duration.ofSeconds(1));

    static final Retention RETENTION = Retention.DEFAULT
            .dead(Duration.ofSeconds(4))
            .expired(Duration.ofSeconds(4))
            .deadLetters(DeadLetters.MOVED);

    static final Retention OLDEST = RETENTION.unprocessed(Duration.ofSeconds(6));

    private Settings() {}
}
