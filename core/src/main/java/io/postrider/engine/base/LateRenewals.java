package io.postrider.engine.base;

import io.postrider.Environment;
import io.postrider.observe.Observation;
import io.postrider.text.Logs;
import java.time.Duration;
import org.slf4j.Logger;

/**
 * Tells when a lease was renewed late: each time to observers, now and then to the log. A lease that runs out for want
 * of a connection looks like the end of its node to all others, so the cause must be seen before. After an outage of
 * the store, which the log has told, it has no more to say. Thread-safe.
 */
public final class LateRenewals {
    private static final Logger LOG = Logs.of(LateRenewals.class);
    private static final Duration SILENCE = Duration.ofMinutes(1);

    private final Environment environment;
    private final Observers observers;
    private final Outage outage;
    private long silentUntil;

    public LateRenewals(Environment environment, Observers observers, Outage outage) {
        this.outage = outage;
        this.environment = environment;
        this.observers = observers;
        this.silentUntil = environment.nanos();
    }

    /** A lease of this age has just been renewed: told if one more pause would have been its end. */
    public void renewed(String whose, Duration age, Duration lease) {
        if (age.compareTo(lease.minus(Leases.pause(lease))) < 0) {
            return;
        }
        observers.observe(new Observation.RenewedLate(whose, age));
        if (!outage.within(age) && speaks()) {
            LOG.warn(
                    "The lease of {} lasts {} ms, and {} ms had passed before it was renewed: the store answers slowly,"
                            + " or its pool has no connection free. A lease that runs out costs this node its lanes and"
                            + " tasks, and their events are dispatched again. Give the pool five connections for the"
                            + " node, and one more for each handler that takes one",
                    whose,
                    lease.toMillis(),
                    age.toMillis());
        }
    }

    private synchronized boolean speaks() {
        long now = environment.nanos();
        if (now - silentUntil < 0) {
            return false;
        }
        silentUntil = now + SILENCE.toNanos();
        return true;
    }
}
