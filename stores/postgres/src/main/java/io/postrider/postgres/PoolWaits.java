package io.postrider.postgres;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells when calls of the engine wait long for a connection of the pool: now and then, not each time. */
final class PoolWaits {
    private static final Logger LOG = LoggerFactory.getLogger(PoolWaits.class);
    private static final Duration LONG = Duration.ofSeconds(1);
    private static final Duration SILENCE = Duration.ofMinutes(1);

    private volatile boolean delivers;
    private volatile boolean wasAway;
    private volatile long awayAt;
    private final AtomicLong silentUntil = new AtomicLong(System.nanoTime());

    /** A node runs subscriptions on this pool: a wait may make deliveries late. */
    void delivers() {
        delivers = true;
    }

    /** PostgreSQL was away just now: a connection broke, or none could be made. */
    void away() {
        awayAt = System.nanoTime();
        wasAway = true;
    }

    void waited(Duration time) {
        if (time.compareTo(LONG) < 0) {
            return;
        }
        long now = System.nanoTime();
        if (wasAway && now - awayAt < time.plus(LONG).toNanos()) {
            LOG.info(
                    "A call waited {} ms for a connection, because PostgreSQL was away meanwhile; the pool is not to"
                            + " blame",
                    time.toMillis());
            return;
        }
        long until = silentUntil.get();
        if (now - until >= 0 && silentUntil.compareAndSet(until, now + SILENCE.toNanos())) {
            tell(time);
        }
    }

    private void tell(Duration time) {
        if (delivers) {
            LOG.warn(
                    "A call waited {} ms for a connection, and deliveries waited with it: the pool is too small,"
                            + " something holds its connections, or PostgreSQL is slow to make one. Give the pool {},"
                            + " and one more for each handler that takes one",
                    time.toMillis(),
                    KeptConnection.POOL_ENOUGH);
        } else {
            LOG.warn(
                    "A call waited {} ms for a connection: the pool is too small, something holds its connections, or"
                            + " PostgreSQL is slow to make one",
                    time.toMillis());
        }
    }
}
