package io.postrider.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Threads that share the keys between them, so that each key keeps its order; what waits is bounded. Thread-safe. */
final class BusWorkers {
    private static final Logger LOG = LoggerFactory.getLogger(BusWorkers.class);

    private final List<ExecutorService> workers = new ArrayList<>();
    private final Semaphore room;
    private final int queuedMax;

    BusWorkers(int count, int queuedMax) {
        this.queuedMax = queuedMax;
        room = new Semaphore(queuedMax);
        for (int i = 0; i < count; i++) {
            String name = "postrider-bus-" + i;
            workers.add(Executors.newSingleThreadExecutor(work -> daemon(work, name)));
        }
    }

    static Thread daemon(Runnable work, String name) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        return thread;
    }

    /** Has it done after what came before of this key; false if there is no room. */
    boolean offer(String key, Runnable work) {
        if (!room.tryAcquire()) {
            return false;
        }
        workers.get(Math.floorMod(key.hashCode(), workers.size())).execute(() -> {
            room.release();
            work.run();
        });
        return true;
    }

    /** Whether at most half of the room is taken. */
    boolean isRoomy() {
        return room.availablePermits() * 2 >= queuedMax;
    }

    /** Lets what runs end, and forgets what waits: who misses it would have missed it a moment later. */
    void close(Duration within) {
        int forgotten = 0;
        for (ExecutorService worker : workers) {
            worker.shutdown();
        }
        long deadline = System.nanoTime() + within.toNanos();
        for (ExecutorService worker : workers) {
            if (!ended(worker, deadline - System.nanoTime())) {
                forgotten += worker.shutdownNow().size();
            }
        }
        if (forgotten > 0) {
            LOG.warn("The bus was closed after {}, {} events that waited for a handler are gone", within, forgotten);
        }
    }

    private static boolean ended(ExecutorService worker, long nanos) {
        try {
            return worker.awaitTermination(nanos, TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
