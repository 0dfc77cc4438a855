package io.postrider.benchmarks.scenarios;

import io.postrider.benchmarks.measure.Contender;
import io.postrider.benchmarks.measure.Payloads;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Writers that commit one after the other without a pause; a round counts what they committed in its time. */
final class CommitRound implements Contender {
    private final Committer committer;
    private final int writers;
    private final Duration length;

    CommitRound(Committer committer, int writers, Duration length) {
        this.committer = committer;
        this.writers = writers;
        this.length = length;
    }

    @Override
    public String label() {
        return committer.label();
    }

    @Override
    public double round() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(writers);
        try {
            long begin = System.nanoTime();
            long end = begin + length.toNanos();
            List<Future<Long>> counts = new ArrayList<>();
            for (int writer = 0; writer < writers; writer++) {
                int number = writer;
                counts.add(threads.submit(() -> commitUntil(end, number)));
            }
            long committed = 0;
            for (Future<Long> count : counts) {
                committed += count.get();
            }
            return committed * 1e9 / (System.nanoTime() - begin);
        } finally {
            threads.shutdown();
        }
    }

    private long commitUntil(long end, int writer) throws Exception {
        long committed = 0;
        while (System.nanoTime() < end) {
            committer.action().commit(writer, Payloads.get(writer + committed * writers));
            committed++;
        }
        return committed;
    }
}
