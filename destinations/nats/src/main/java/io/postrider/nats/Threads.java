package io.postrider.nats;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** The few threads of a destination, for what waits for the server: none of it is on the way of an event. */
final class Threads implements AutoCloseable {
    private static final int WAITING_MAX = 2;
    private static final Duration IDLE = Duration.ofSeconds(10);

    private final ExecutorService waiting;
    private final ScheduledExecutorService timer;

    Threads(String name) {
        ThreadFactory daemons = task -> {
            Thread thread = new Thread(task, name);
            thread.setDaemon(true);
            return thread;
        };
        ThreadPoolExecutor pool = new ThreadPoolExecutor(
                WAITING_MAX, WAITING_MAX, IDLE.toMillis(), TimeUnit.MILLISECONDS, new LinkedBlockingQueue<>(), daemons);
        pool.allowCoreThreadTimeOut(true);
        this.waiting = pool;
        this.timer = new ScheduledThreadPoolExecutor(1, daemons);
    }

    /** Does this on a thread that may wait. */
    <R> CompletableFuture<R> run(Callable<R> task) {
        CompletableFuture<R> result = new CompletableFuture<>();
        try {
            waiting.execute(() -> {
                try {
                    result.complete(task.call());
                } catch (Exception e) {
                    result.completeExceptionally(e);
                }
            });
        } catch (RejectedExecutionException e) {
            result.completeExceptionally(new IllegalStateException("the destination was closed", e));
        }
        return result;
    }

    void every(Duration pause, Runnable task) {
        long nanos = Math.max(pause.toNanos(), 1_000_000);
        var unused = timer.scheduleWithFixedDelay(task, nanos, nanos, TimeUnit.NANOSECONDS);
    }

    /** Ends the threads; what has not begun is refused. */
    @Override
    public void close() {
        timer.shutdownNow();
        waiting.shutdown();
    }
}
