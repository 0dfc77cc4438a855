package io.postrider.chaos;

import com.zaxxer.hikari.HikariDataSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** Writers that write until told to stop; a failure of one is thrown by {@link #stop}. Used by one thread. */
final class Load implements AutoCloseable {
    private static final int WRITERS = 8;
    private static final Duration SILENCE = Duration.ofSeconds(10);

    private final ExecutorService threads = Executors.newFixedThreadPool(WRITERS);
    private final List<Future<?>> running = new ArrayList<>();
    private final Moment begin = Moment.now();
    private volatile boolean stopping;

    /** What a thread repeats. */
    @FunctionalInterface
    interface Work {
        void once() throws Exception;
    }

    /** One connection per writer, so that the load does not wait for itself. */
    static HikariDataSource pool(Database database) {
        return database.pool("writer", WRITERS, SILENCE);
    }

    static Load start(HikariDataSource pool, KeyTable table, WriterLedger ledger) {
        Load load = new Load();
        for (int seed = 0; seed < WRITERS; seed++) {
            load.repeat(new Writer(pool, table, ledger, seed));
        }
        return load;
    }

    private void repeat(Work work) {
        running.add(threads.submit(() -> {
            while (!stopping) {
                work.once();
            }
            return null;
        }));
    }

    /** Lets every writer finish what it is doing, and throws what went wrong in any; returns how long it wrote. */
    Duration stop() throws InterruptedException, ExecutionException {
        stopping = true;
        for (Future<?> future : running) {
            future.get();
        }
        return begin.age();
    }

    @Override
    public void close() throws InterruptedException {
        stopping = true;
        threads.shutdownNow();
        threads.awaitTermination(30, TimeUnit.SECONDS);
    }
}
