package io.postrider.kafka;

import io.postrider.destination.SourceException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Messages that were read and wait to be pulled, some of them not before their time. Thread-safe. */
final class Mailbox {
    private final Deque<KafkaArrival> ready = new ArrayDeque<>();
    private final PriorityQueue<Later> later =
            new PriorityQueue<>((one, other) -> Long.signum(one.dueNanos() - other.dueNanos()));
    private @Nullable SourceException problem;
    private boolean closed;

    /** Comes again when this is over. */
    private record Later(KafkaArrival arrival, long dueNanos) {}

    synchronized void put(KafkaArrival arrival) {
        ready.add(arrival);
        notifyAll();
    }

    synchronized void put(KafkaArrival arrival, Duration after) {
        later.add(new Later(arrival, System.nanoTime() + after.toNanos()));
        notifyAll();
    }

    /** Takes out what belongs to a partition that is ours no more. */
    synchronized void forget(PartitionProgress progress) {
        ready.removeIf(arrival -> arrival.isOf(progress));
        later.removeIf(each -> each.arrival().isOf(progress));
    }

    /** Tells everyone who pulls while there is nothing to pull, until it is well again. */
    synchronized void fail(SourceException problem) {
        this.problem = problem;
        notifyAll();
    }

    synchronized void wellAgain() {
        problem = null;
    }

    synchronized List<KafkaArrival> take(int most, Duration wait) throws InterruptedException {
        long deadline = System.nanoTime() + wait.toNanos();
        while (true) {
            collectDue();
            if (!ready.isEmpty() || closed) {
                return takeReady(most);
            }
            if (problem != null) {
                throw problem;
            }
            long left = deadline - System.nanoTime();
            if (left <= 0) {
                return List.of();
            }
            long pause = TimeUnit.NANOSECONDS.toMillis(Math.min(left, untilNextDue()));
            wait(Math.max(1, pause)); // a wait of nought is for ever
        }
    }

    /** Messages that were taken and not given to the receiver come first at the next take, in their order. */
    synchronized void putBack(List<KafkaArrival> taken) {
        for (int i = taken.size() - 1; i >= 0; i--) {
            ready.addFirst(taken.get(i));
        }
        notifyAll();
    }

    private long untilNextDue() {
        Later first = later.peek();
        return first == null ? Long.MAX_VALUE : first.dueNanos() - System.nanoTime();
    }

    /** They come before the rest, as they have waited longest. */
    private void collectDue() {
        List<KafkaArrival> due = new ArrayList<>();
        while (untilNextDue() <= 0) {
            due.add(later.remove().arrival());
        }
        putBack(due);
    }

    private List<KafkaArrival> takeReady(int most) {
        List<KafkaArrival> taken = new ArrayList<>();
        while (taken.size() < most && !closed && !ready.isEmpty()) {
            taken.add(ready.remove());
        }
        return taken;
    }

    synchronized void close() {
        closed = true;
        notifyAll();
    }
}
