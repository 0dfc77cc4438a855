package io.postrider.tck;

import io.postrider.Environment;
import io.postrider.engine.base.SystemEnvironment;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.random.RandomGenerator;

/** A process that gets no further: handlers are held from the beginning, and renewals once it stands still. */
final class StandingStill implements Environment {
    private final SystemEnvironment system = new SystemEnvironment();
    private final List<Runnable> held = new ArrayList<>();
    private volatile boolean standsStill;

    synchronized int held() {
        return held.size();
    }

    /** No renewal is sent from now on. */
    void standStill() {
        standsStill = true;
    }

    /** The handlers that were held begin. */
    synchronized void goOn() {
        held.forEach(system.handlers()::execute);
        held.clear();
    }

    private synchronized void hold(Runnable handler) {
        held.add(handler);
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
        return system.engine();
    }

    @Override
    public Executor handlers() {
        return this::hold;
    }

    @Override
    public Timer schedule(Duration delay, Runnable task) {
        return system.schedule(delay, task);
    }

    @Override
    public Timer scheduleRenewal(Duration delay, Runnable task) {
        return system.scheduleRenewal(delay, () -> {
            if (!standsStill) {
                task.run();
            }
        });
    }

    @Override
    public void close() {
        system.close();
    }
}
