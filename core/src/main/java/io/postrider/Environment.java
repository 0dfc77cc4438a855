package io.postrider;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.Executor;
import java.util.random.RandomGenerator;

/**
 * Time, threads and randomness: the only way to them in core. The simulation brings its own.
 *
 * <p>Implementations are safe for use by several threads.
 */
public interface Environment extends AutoCloseable {

    /**
     * The wall clock, for times that people read. Leases and deadlines never depend on it; due times are compared with
     * the store's clock.
     */
    Instant now();

    /** The monotonic clock, in nanoseconds from an arbitrary origin. */
    long nanos();

    RandomGenerator random();

    /** Threads for short work of the engine: store calls and bookkeeping. */
    Executor engine();

    /** Threads for handlers; one that never returns must not starve the others. */
    Executor handlers();

    /** Runs a task once, on an engine thread, after a delay. */
    Timer schedule(Duration delay, Runnable task);

    /**
     * Runs a task once after a delay, on a thread that other work of the engine never keeps busy: a renewal must not
     * wait behind claims and settles that wait themselves.
     */
    default Timer scheduleRenewal(Duration delay, Runnable task) {
        return schedule(delay, task);
    }

    @Override
    void close();

    /** A task that is still to run. */
    interface Timer {
        void cancel();
    }
}
