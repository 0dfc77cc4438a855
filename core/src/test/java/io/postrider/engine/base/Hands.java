package io.postrider.engine.base;

import io.postrider.Environment;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.Executor;
import java.util.random.RandomGenerator;

/** Clocks that stand until they are moved, and nothing else. */
public final class Hands implements Environment {
    private long nanos;
    private Duration wrong = Duration.ZERO;

    public void move(Duration time) {
        nanos += time.toNanos();
    }

    /** The wall clock alone. */
    void jump(Duration by) {
        wrong = wrong.plus(by);
    }

    @Override
    public Instant now() {
        return Instant.EPOCH.plusNanos(nanos).plus(wrong);
    }

    @Override
    public long nanos() {
        return nanos;
    }

    @Override
    public RandomGenerator random() {
        throw new AssertionError("nothing is left to chance");
    }

    @Override
    public Executor engine() {
        throw new AssertionError("no thread is needed");
    }

    @Override
    public Executor handlers() {
        throw new AssertionError("no thread is needed");
    }

    @Override
    public Timer schedule(Duration delay, Runnable task) {
        throw new AssertionError("nothing is to be done later");
    }

    @Override
    public void close() {}
}
