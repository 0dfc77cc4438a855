package io.postrider.engine.base;

import io.postrider.Environment;
import io.postrider.observe.Observation;
import io.postrider.store.StoreException;
import io.postrider.text.Failure;
import io.postrider.text.Logs;
import java.time.Duration;
import org.slf4j.Logger;

/** Whether the store answers: said once when it stops and once when it does again, and how long to wait meanwhile. */
public final class Outage {
    private static final Logger LOG = Logs.of(Outage.class);
    private static final Duration FIRST_PAUSE = Duration.ofMillis(50);

    private final Environment environment;
    private final Pauses pauses;
    private final Observers observers;
    private boolean down;
    private long sinceNanos;
    /** When the last one was over; for good before the first. */
    private long upNanos;

    public Outage(Environment environment, Duration longest, Observers observers) {
        this.environment = environment;
        this.pauses = new Pauses(FIRST_PAUSE, longest);
        this.observers = observers;
        this.upNanos = environment.nanos();
    }

    /** Notes a failure; true if the store answered until now. */
    public synchronized boolean down(StoreException failure) {
        if (down) {
            return false;
        }
        down = true;
        pauses.reset();
        sinceNanos = environment.nanos();
        LOG.error(
                "The store does not answer; deliveries wait, and go on by themselves when it does: {}",
                failure.getMessage(),
                Failure.tellable(failure));
        observers.observe(new Observation.StoreDown(String.valueOf(failure.getMessage())));
        return true;
    }

    public synchronized boolean isDown() {
        return down;
    }

    /** Whether the store has been failing at some time within this while: what is late then is so for a known cause. */
    synchronized boolean within(Duration last) {
        return down || environment.nanos() - upNanos < last.toNanos();
    }

    /** How long to wait before the next try: longer each time. */
    public synchronized Duration pause() {
        return pauses.next();
    }

    public synchronized void up() {
        if (down) {
            Duration lasted = Duration.ofNanos(environment.nanos() - sinceNanos);
            LOG.info("The store answers again after {} ms", lasted.toMillis());
            down = false;
            upNanos = environment.nanos();
            observers.observe(new Observation.StoreUp(lasted));
        }
    }
}
