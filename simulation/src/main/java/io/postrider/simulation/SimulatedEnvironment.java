package io.postrider.simulation;

import io.postrider.Environment;
import java.time.Duration;
import java.time.Instant;
import java.util.SplittableRandom;
import java.util.concurrent.Executor;
import java.util.random.RandomGenerator;

/** Time, threads and randomness of one simulated process. */
final class SimulatedEnvironment implements Environment, Scheduler.Owner {
    static final Instant EPOCH = Instant.parse("2026-01-01T00:00:00Z");
    /** How long a thread that is ready may wait for a processor. */
    private static final Duration WAIT_FOR_PROCESSOR = Duration.ofNanos(500_000);

    private final Scheduler scheduler;
    private final SplittableRandom random;
    private Duration wallOffset = Duration.ZERO;
    private long pausedUntil;
    private boolean gone;
    private boolean clockStopsInPauses;
    private long stoppedNanos;

    SimulatedEnvironment(Scheduler scheduler, SplittableRandom random) {
        this.scheduler = scheduler;
        this.random = random;
    }

    // ---- what happens to the process --------------------------------------------------------------------------------

    void kill() {
        gone = true;
    }

    void pause(Duration length) {
        pausedUntil = Math.max(pausedUntil, scheduler.nanos() + length.toNanos());
        if (clockStopsInPauses) {
            stoppedNanos += length.toNanos();
        }
    }

    void jump(Duration by) {
        wallOffset = wallOffset.plus(by);
    }

    /** A mutation: the process does not notice that it was paused. */
    void stopClockInPauses() {
        clockStopsInPauses = true;
    }

    @Override
    public boolean gone() {
        return gone;
    }

    @Override
    public long pausedUntil() {
        return pausedUntil;
    }

    /** To be called by whatever the process does to the world outside. */
    void requireAlive() {
        if (gone) {
            throw new Scheduler.Gone();
        }
    }

    // ---- what the engine sees ---------------------------------------------------------------------------------------

    @Override
    public Instant now() {
        return EPOCH.plusNanos(scheduler.nanos()).plus(wallOffset);
    }

    @Override
    public long nanos() {
        return scheduler.nanos() - stoppedNanos;
    }

    @Override
    public RandomGenerator random() {
        return random;
    }

    @Override
    public Executor engine() {
        return this::soon;
    }

    @Override
    public Executor handlers() {
        return this::soon;
    }

    private void soon(Runnable task) {
        scheduler.in(scheduler.moment(WAIT_FOR_PROCESSOR), this, () -> run(task));
    }

    /** A thread ends with what nobody has caught, and the process goes on without it. */
    private static void run(Runnable task) {
        try {
            task.run();
        } catch (PlannedError e) {
            // What the task has not done by now it never does.
        }
    }

    @Override
    public Timer schedule(Duration delay, Runnable task) {
        boolean[] cancelled = new boolean[1];
        scheduler.in(delay.plus(scheduler.moment(WAIT_FOR_PROCESSOR)), this, () -> {
            if (!cancelled[0]) {
                run(task);
            }
        });
        return () -> cancelled[0] = true;
    }

    @Override
    public void close() {
        kill();
    }
}
