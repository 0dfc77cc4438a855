package io.postrider.engine.operation;

import io.postrider.Environment;
import io.postrider.engine.base.Observers;
import io.postrider.engine.dispatch.SubscriptionSpec;
import io.postrider.observe.Observation;
import io.postrider.operate.Counts;
import io.postrider.store.Foresee;
import io.postrider.text.Logs;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Warns ahead: at the rate of the last while, something that waits will have expired before its turn comes.
 *
 * <p>The rate is what was done between two looks. It says how fast a subscription can be only if there was enough to
 * do; so nothing is judged that is nearer than what was done in that time, nor before something was seen waiting twice.
 * Not thread-safe.
 */
final class Foresight {
    private static final Logger LOG = Logs.of(Foresight.class);

    private final Environment environment;
    private final SubscriptionSpec spec;
    private final Observers observers;
    private @Nullable Look last;
    private boolean threatened;

    private record Look(long nanos, long done, boolean waiting) {}

    Foresight(Environment environment, SubscriptionSpec spec, Observers observers) {
        this.environment = environment;
        this.spec = spec;
        this.observers = observers;
    }

    void look(Foresee store) {
        Foresee.Outlook outlook = spec.isQueue() ? store.tasks(spec.name()) : store.events(spec.name());
        Look before = last;
        Look now = new Look(
                environment.nanos(), done(outlook.counts()), !outlook.waiting().isEmpty());
        last = now;
        tell(before != null && before.waiting() ? shortBy(outlook, before, now) : Duration.ZERO);
    }

    /** In a queue what is parked is still to be done. */
    private long done(Counts counts) {
        return spec.isQueue() ? counts.total() - counts.parked() - counts.expired() : counts.total();
    }

    /** By how much the most threatened comes too late; zero if nothing does. */
    private Duration shortBy(Foresee.Outlook outlook, Look before, Look now) {
        long done = Math.max(0, now.done() - before.done());
        double perEvent = (now.nanos() - before.nanos()) / (double) Math.max(1, done);
        Instant time = environment.now();
        Duration most = Duration.ZERO;
        for (Foresee.Waiting one : outlook.waiting()) {
            if (one.before() > done) {
                Instant turn = time.plusNanos((long) Math.min(one.before() * perEvent, Long.MAX_VALUE / 2.0));
                Duration late = Duration.between(one.expiresAt(), turn);
                most = late.compareTo(most) > 0 ? late : most;
            }
        }
        return most;
    }

    private void tell(Duration shortBy) {
        boolean now = !shortBy.isZero();
        if (now && !threatened) {
            LOG.warn(
                    "Events of '{}' will expire before their turn comes at the present rate, by up to {} s:"
                            + " more nodes or faster handlers would help",
                    spec.name(),
                    Math.max(1, shortBy.toSeconds()));
        }
        if (now || threatened) {
            observers.observe(new Observation.ExpiryThreatened(spec.name(), shortBy));
        }
        threatened = now;
    }
}
