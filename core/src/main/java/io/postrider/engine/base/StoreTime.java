package io.postrider.engine.base;

import io.postrider.Environment;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.Executor;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * A node's environment with the store's clock on the wall: what the store said with a renewal, and what the monotonic
 * clock has counted since. Times at which something is due are written and compared by several nodes and by the store;
 * by this clock all of them mean the same, however wrong the clock of a node is, or however far it jumps. Thread-safe.
 */
public final class StoreTime implements Environment {
    /** A destination may ask for any time; no retry waits longer than this. */
    public static final Duration RETRY_WITHIN = Duration.ofDays(30);

    private final Environment environment;
    /** The store's time at the origin of the monotonic clock; null before the first renewal. */
    private volatile @Nullable Instant origin;

    public StoreTime(Environment environment) {
        this.environment = environment;
    }

    /**
     * The store had this time somewhere between the two. As long as the answers agree, the first of them holds, which
     * is behind by the way of its answer: so nothing is due before its time, and a slow answer changes nothing.
     */
    public void learn(Instant at, long sentNanos, long answeredNanos) {
        Instant earliest = at.minusNanos(answeredNanos);
        Instant latest = at.minusNanos(sentNanos);
        Instant known = origin;
        if (known == null || known.isBefore(earliest) || known.isAfter(latest)) {
            origin = earliest;
        }
    }

    /** The store's time; the wall clock's before the first renewal. */
    @Override
    public Instant now() {
        Instant known = origin;
        return known == null ? environment.now() : known.plusNanos(environment.nanos());
    }

    /** What the wall clock of this process calls so, which is all that a destination knows; not in the past. */
    public Instant of(Instant wall) {
        Duration wait = Duration.between(environment.now(), wall);
        if (wait.isNegative()) {
            return now();
        }
        return now().plus(wait.compareTo(RETRY_WITHIN) > 0 ? RETRY_WITHIN : wait);
    }

    // ---- the rest is as it was --------------------------------------------------------------------------------------

    @Override
    public long nanos() {
        return environment.nanos();
    }

    @Override
    public RandomGenerator random() {
        return environment.random();
    }

    @Override
    public Executor engine() {
        return environment.engine();
    }

    @Override
    public Executor handlers() {
        return environment.handlers();
    }

    @Override
    public Timer schedule(Duration delay, Runnable task) {
        return environment.schedule(delay, task);
    }

    @Override
    public Timer scheduleRenewal(Duration delay, Runnable task) {
        return environment.scheduleRenewal(delay, task);
    }

    @Override
    public void close() {
        environment.close();
    }
}
