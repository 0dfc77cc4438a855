package io.postrider.benchmarks.peers;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * The loop of flushes that gruelbox's documentation asks for, and the threads it feeds. Their queue is unbounded, so
 * that nothing is turned away to be tried again later; the next flush waits until it is short, so that other nodes get
 * their share.
 */
final class FlushLoop implements AutoCloseable {
    private final BlockingQueue<Runnable> waiting = new LinkedBlockingQueue<>();
    private final CountDownLatch closed = new CountDownLatch(1);
    private final ExecutorService flusher = Executors.newSingleThreadExecutor();
    private final ThreadPoolExecutor workers;
    private final long pauseMillis;
    private final int batch;

    FlushLoop(Tuning tuning, int batch) {
        this.workers = new ThreadPoolExecutor(tuning.threads(), tuning.threads(), 0, TimeUnit.SECONDS, waiting);
        this.pauseMillis = tuning.poll().toMillis();
        this.batch = batch;
    }

    Executor workers() {
        return workers;
    }

    void start(BooleanSupplier flush) {
        flusher.submit(() -> {
            boolean found = false;
            while (!closed.await(pause(found), TimeUnit.MILLISECONDS)) {
                found = waiting.size() < batch && flush.getAsBoolean();
            }
            return null;
        });
    }

    /** None after a flush that found something. */
    private long pause(boolean found) {
        if (found) {
            return 0;
        }
        return waiting.size() < batch ? pauseMillis : 1;
    }

    @Override
    public void close() {
        closed.countDown();
        finish(flusher);
        finish(workers);
    }

    private static void finish(ExecutorService threads) {
        threads.shutdown();
        try {
            threads.awaitTermination(1, TimeUnit.MINUTES);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
