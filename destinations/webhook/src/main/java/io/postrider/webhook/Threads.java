package io.postrider.webhook;

import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** The threads of a destination: one for each request under way, which end when there are none, and a timer. */
final class Threads {
    private static final int IDLE_SECONDS = 10;

    private final ThreadPoolExecutor workers;
    private final ScheduledThreadPoolExecutor timer;

    Threads(int most) {
        workers = new ThreadPoolExecutor(
                most, most, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), named("postrider-webhook-"));
        workers.allowCoreThreadTimeOut(true);
        timer = new ScheduledThreadPoolExecutor(1, named("postrider-webhook-timer-"));
        timer.setRemoveOnCancelPolicy(true);
        timer.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    }

    private static ThreadFactory named(String prefix) {
        AtomicInteger count = new AtomicInteger();
        return task -> {
            Thread thread = new Thread(task, prefix + count.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        };
    }

    ScheduledExecutorService timer() {
        return timer;
    }

    /** Runs a task that may wait. */
    <R> CompletableFuture<R> run(Callable<R> task) {
        return run(new CompletableFuture<>(), task);
    }

    /** The same, unless whoever asks for it has cancelled before it begins. */
    <R> CompletableFuture<R> run(CompletableFuture<?> asker, Callable<R> task) {
        CompletableFuture<R> result = new CompletableFuture<>();
        Runnable work = () -> {
            if (asker.isCancelled()) {
                result.cancel(false);
            } else {
                run(task, result);
            }
        };
        try {
            workers.execute(work);
        } catch (RejectedExecutionException e) {
            result.completeExceptionally(e);
        }
        CompletableFuture<?> unused = asker.whenComplete((done, failed) -> {
            if (asker.isCancelled() && workers.remove(work)) {
                result.cancel(false);
            }
        });
        return result;
    }

    private static <R> void run(Callable<R> task, CompletableFuture<R> result) {
        try {
            result.complete(task.call());
        } catch (Exception | Error e) {
            result.completeExceptionally(e);
        }
    }

    void close() {
        workers.shutdownNow();
        timer.shutdownNow();
    }
}
