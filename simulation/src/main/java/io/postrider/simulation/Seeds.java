package io.postrider.simulation;

import java.util.List;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;
import java.util.stream.IntStream;

/** Runs many seeds, on as many processors as there are: runs share nothing, so which ones meet changes none of them. */
final class Seeds {
    private final long first;
    private final long last;
    private final Mutation mutation;
    private final int failuresMax;
    private final ConcurrentSkipListMap<Long, Run.Result> failures = new ConcurrentSkipListMap<>();
    private final AtomicLong next;
    private final AtomicLong done = new AtomicLong();

    /**
     * What became of the seeds.
     *
     * @param failures by seed; not all of them if there are more than were asked for
     */
    record Tally(long seeds, List<Run.Result> failures) {}

    private Seeds(long first, long last, Mutation mutation, int failuresMax) {
        this.first = first;
        this.last = last;
        this.mutation = mutation;
        this.failuresMax = failuresMax;
        this.next = new AtomicLong(first);
    }

    /** Runs seeds from the first to the last, and stops early after this many failures. */
    static Tally run(long first, long last, Mutation mutation, int failuresMax, LongConsumer progress) {
        return new Seeds(first, last, mutation, failuresMax).run(progress);
    }

    private Tally run(LongConsumer progress) {
        int processors = Runtime.getRuntime().availableProcessors();
        ExecutorService threads = Executors.newFixedThreadPool(processors);
        try {
            List<? extends Future<?>> workers = IntStream.range(0, processors)
                    .mapToObj(number -> threads.submit(() -> work(progress)))
                    .toList();
            for (Future<?> worker : workers) {
                worker.get();
            }
            return new Tally(done.get(), List.copyOf(failures.values()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted after " + done + " seeds from " + first, e);
        } catch (ExecutionException e) {
            throw new IllegalStateException(e.getCause());
        } finally {
            threads.shutdownNow();
        }
    }

    private void work(LongConsumer progress) {
        for (long seed = next.getAndIncrement();
                seed <= last && failures.size() < failuresMax;
                seed = next.getAndIncrement()) {
            Run.Result result = Run.of(Plan.of(seed), mutation);
            if (!result.held()) {
                failures.put(seed, result);
            }
            progress.accept(done.incrementAndGet());
        }
    }
}
