package io.postrider.engine.base;

import io.postrider.Environment;
import io.postrider.text.Logs;
import java.lang.reflect.InvocationTargetException;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;

/**
 * The machine's own time, threads and randomness. Handlers run on virtual threads where the JDK has them.
 *
 * <p>The only class in core that touches them directly.
 */
public final class SystemEnvironment implements Environment {
    private static final Logger LOG = Logs.of(SystemEnvironment.class);

    /** Threads that call the store: as many connections are in use at most. */
    public static final int ENGINE_THREADS = 4;
    /** The pause before the next try where there is no memory for a try in a second. */
    private static final long NO_MEMORY_NANOS = 100_000_000;

    private final ExecutorService engine;
    private final ExecutorService handlers;
    /** As many threads as there are leases: one of the node, and one of each queue. */
    private final ExecutorService renewals;

    private final ScheduledThreadPoolExecutor timers;

    public SystemEnvironment() {
        engine = new ThreadPoolExecutor(
                ENGINE_THREADS,
                ENGINE_THREADS,
                0,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(),
                named("postrider-engine-"),
                new ThreadPoolExecutor.DiscardPolicy()); // after close, nobody waits for what a late handler reports
        ((ThreadPoolExecutor) engine).prestartAllCoreThreads(); // so that none has to be made when there is no room
        handlers = virtualThreads();
        renewals = Executors.newCachedThreadPool(named("postrider-renewal-"));
        timers = new ScheduledThreadPoolExecutor(1, named("postrider-timer-"), new ThreadPoolExecutor.DiscardPolicy());
        timers.setRemoveOnCancelPolicy(true);
        timers.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    }

    @Override
    public Instant now() {
        return Instant.now();
    }

    @Override
    public long nanos() {
        return System.nanoTime();
    }

    @Override
    public RandomGenerator random() {
        return ThreadLocalRandom.current();
    }

    @Override
    public Executor engine() {
        return engine;
    }

    @Override
    public Executor handlers() {
        return handlers;
    }

    @Override
    public Timer schedule(Duration delay, Runnable task) {
        return schedule(engine, delay, task);
    }

    @Override
    public Timer scheduleRenewal(Duration delay, Runnable task) {
        return schedule(renewals, delay, task);
    }

    private Timer schedule(Executor executor, Duration delay, Runnable task) {
        Due due = new Due(executor, task);
        ScheduledFuture<?> future = timers.schedule(due::hand, delay.toNanos(), TimeUnit.NANOSECONDS);
        return () -> future.cancel(false);
    }

    /**
     * A task that is due must not be forgotten for want of a thread or of memory: whoever has scheduled it does nothing
     * more without it. It is made when it is scheduled, so that handing it over takes as little memory as can be.
     */
    private final class Due implements Runnable {
        private final Executor executor;
        private final Runnable task;
        private final Runnable handing = this::hand;

        Due(Executor executor, Runnable task) {
            this.executor = executor;
            this.task = task;
        }

        /** On the timer's thread. */
        void hand() {
            boolean handed = false;
            while (!handed && !timers.isShutdown()) {
                try {
                    executor.execute(this);
                    handed = true;
                } catch (RejectedExecutionException closed) {
                    LOG.debug("A task was due after the end", closed);
                    return;
                } catch (Throwable e) {
                    handed = later(e);
                }
            }
        }

        /** On a thread of its executor. For want of memory it has done nothing yet: it hands over to a serial. */
        @Override
        public void run() {
            try {
                task.run();
            } catch (OutOfMemoryError e) {
                boolean handed = false;
                while (!handed) {
                    handed = later(e);
                }
            } catch (Throwable e) {
                LOG.error("A task of the engine that was due has failed; what it was for is tried again", e);
            }
        }

        private boolean later(Throwable failure) {
            try {
                timers.schedule(handing, 1, TimeUnit.SECONDS);
                LOG.error("A task of the engine is due, and cannot run; it is tried again in a second", failure);
                return true;
            } catch (RejectedExecutionException closed) {
                return true;
            } catch (Throwable e) {
                LockSupport.parkNanos(NO_MEMORY_NANOS);
                return false;
            }
        }
    }

    @Override
    public void close() {
        timers.shutdownNow();
        engine.shutdown();
        renewals.shutdown();
        handlers.shutdown();
    }

    private static ThreadFactory named(String prefix) {
        AtomicInteger count = new AtomicInteger();
        return task -> {
            Thread thread = new Thread(task, prefix + count.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        };
    }

    private static ExecutorService virtualThreads() {
        try {
            return (ExecutorService)
                    Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
        } catch (NoSuchMethodException e) {
            return Executors.newCachedThreadPool(named("postrider-handler-"));
        } catch (IllegalAccessException | InvocationTargetException e) {
            throw new IllegalStateException("virtual threads cannot be started", e);
        }
    }
}
