package io.postrider.postgres.load;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

/** Threads that each do their work again and again until told to stop; a failure of one is thrown by {@link #stop}. */
final class Load implements AutoCloseable {
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final AtomicBoolean stopping = new AtomicBoolean();
    private final List<Future<?>> running = new ArrayList<>();

    /** What a thread repeats. */
    @FunctionalInterface
    interface Work {
        void once() throws Exception;
    }

    void start(Work work) {
        running.add(threads.submit(() -> {
            while (!stopping.get()) {
                work.once();
            }
            return null;
        }));
    }

    /** Lets every thread finish what it is doing, and throws what went wrong in any of them. */
    void stop() throws InterruptedException, ExecutionException {
        stopping.set(true);
        for (Future<?> future : running) {
            future.get();
        }
    }

    /** Pauses between two pieces of load: without it they would measure how fast a machine can be filled up. */
    static void pace(Duration pause) {
        LockSupport.parkNanos(pause.toNanos());
    }

    @Override
    public void close() throws InterruptedException {
        stopping.set(true);
        threads.shutdownNow();
        threads.awaitTermination(30, TimeUnit.SECONDS);
    }
}
