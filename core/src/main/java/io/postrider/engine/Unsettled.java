package io.postrider.engine;

import io.postrider.Headers;
import io.postrider.Outcome;
import io.postrider.spi.Delivery;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Delivery rows that are to be settled although they are in no batch: of events that ended after their batch, or that
 * an earlier owner left running. Not thread-safe: the lane guards it.
 */
final class Unsettled {
    private final List<Finished> finished = new ArrayList<>();

    private record Finished(Delivery row, @Nullable Item item, Outcome outcome) {
        void addTo(Verdicts verdicts) {
            if (item == null) {
                verdicts.finished(row, (Headers) null, outcome);
            } else {
                verdicts.finished(row, item);
            }
        }
    }

    boolean isEmpty() {
        return finished.isEmpty();
    }

    /** An event that ended after its batch had been cut. */
    void straggler(Item item, Instant now) {
        Delivery row = item.row != null ? item.row : Delivery.parked(item.event, now, false);
        finished(row.running(item.attempt), item, item.outcome());
    }

    private void finished(Delivery row, @Nullable Item item, Outcome outcome) {
        finished.add(new Finished(row, item, outcome));
    }

    /**
     * The rows that a new owner finds running: whoever ran them is gone, and their attempt counts. Where that happens
     * again and again, one of them may be the cause: from then on each runs alone, so that no other dies of it.
     */
    void leftRunning(List<Delivery> rows, boolean suspect) {
        rows.stream()
                .filter(row -> row.status() == Delivery.Status.RUNNING)
                .map(row -> suspect ? row.suspected() : row)
                .forEach(row -> finished(row, null, Outcome.retry("the node that ran it ended")));
    }

    int size() {
        return finished.size();
    }

    /** Notes one of them. */
    void addTo(Verdicts verdicts, int number) {
        finished.get(number).addTo(verdicts);
    }

    /** They are settled. */
    void clear() {
        finished.clear();
    }
}
