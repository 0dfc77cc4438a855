package io.postrider.tck;

import io.postrider.Environment;
import io.postrider.engine.base.SystemEnvironment;
import java.time.Duration;
import java.time.Instant;
import java.util.Random;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.random.RandomGenerator;

/** Has no thread every other time, for handlers and for the engine. */
final class FewThreads implements Environment {
    private final SystemEnvironment system = new SystemEnvironment();
    private final AtomicInteger asked;

    /** By chance and not in turn: in turn, one task could find no thread each time. */
    private final Random chance = new Random(1);

    /** @param asked counts how often a thread was wanted */
    FewThreads(AtomicInteger asked) {
        this.asked = asked;
    }

    private synchronized int drawn() {
        return chance.nextInt(4);
    }

    private Executor sometimes(Executor executor) {
        return task -> {
            asked.incrementAndGet();
            int number = drawn();
            if (number == 1) {
                throw new RejectedExecutionException("simulated");
            } else if (number == 3) {
                throw new OutOfMemoryError("unable to create native thread, simulated");
            }
            executor.execute(task);
        };
    }

    @Override
    public Instant now() {
        return system.now();
    }

    @Override
    public long nanos() {
        return system.nanos();
    }

    @Override
    public RandomGenerator random() {
        return system.random();
    }

    @Override
    public Executor engine() {
        return sometimes(system.engine());
    }

    @Override
    public Executor handlers() {
        return sometimes(system.handlers());
    }

    @Override
    public Timer schedule(Duration delay, Runnable task) {
        return system.schedule(delay, task);
    }

    @Override
    public void close() {
        system.close();
    }
}
