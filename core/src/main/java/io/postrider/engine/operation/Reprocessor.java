package io.postrider.engine.operation;

import io.postrider.Environment;
import io.postrider.engine.dispatch.SubscriptionSpec;
import io.postrider.operate.By;
import io.postrider.operate.Operation;
import io.postrider.policy.Reprocess;
import io.postrider.store.Store;
import io.postrider.text.Logs;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Starts a subscription's scheduled replays. Every node that runs the subscription asks now and then; the store
 * remembers the last run, so that only one of them is answered. Not thread-safe.
 */
final class Reprocessor {
    private static final Logger LOG = Logs.of(Reprocessor.class);
    static final String WHO = "reprocessor";
    /** How often it asks within a period. */
    private static final int LOOKS = 10;

    private final Store<?> store;
    private final Environment environment;
    private final String subscription;
    private final @Nullable Reprocess reprocess;
    private @Nullable Long lookedNanos;

    Reprocessor(Store<?> store, Environment environment, SubscriptionSpec spec) {
        this.store = store;
        this.environment = environment;
        this.subscription = spec.name();
        this.reprocess = spec.reprocess();
    }

    void look() {
        if (reprocess == null || !isTime(reprocess.every().dividedBy(LOOKS))) {
            return;
        }
        Operation.Target target =
                Operation.Target.dead(subscription).filter(reprocess.filter()).reprocessedBelow(reprocess.times());
        Operation.Pace pace = Operation.Pace.UNLIMITED.perSecond(reprocess.perSecond());
        By by = new By(WHO, "every " + reprocess.every() + ", each at most " + reprocess.times() + " times");
        store.chunks()
                .reprocess(target, pace, reprocess.every(), by)
                .ifPresent(started -> LOG.info(
                        "Dead events of '{}' are replayed by schedule: {} of them",
                        subscription,
                        started.progress().total()));
    }

    private boolean isTime(Duration pause) {
        long now = environment.nanos();
        Long before = lookedNanos;
        if (before != null && now - before < pause.toNanos()) {
            return false;
        }
        lookedNanos = now;
        return true;
    }
}
