package io.postrider.engine.lane;

import io.postrider.Headers;
import io.postrider.destination.Outcome;
import io.postrider.engine.dispatch.Item;
import io.postrider.engine.dispatch.Verdicts;
import io.postrider.operate.Delivery;
import io.postrider.store.Claim;
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

    /** Whether this owner has dispatched some of them. */
    boolean hasDispatched() {
        return finished.stream().anyMatch(each -> each.item() != null);
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
     * The rows that a new owner finds running: the node that ran them was stopped or ended, and their attempt counts.
     * Where nodes end again and again, one of these rows may be the cause: from then on each runs alone, so that no
     * other dies of it. No attempt counts where the owner had the lane before: the node is alive, and only the settle
     * was lost.
     */
    void leftRunning(Claim.ClaimedLane claimed, boolean suspect, String node, Instant now) {
        Outcome outcome;
        if (node.equals(claimed.takenFrom())) {
            outcome = Outcome.postponed(now, "its node lost the lane, or the store failed, before it settled");
        } else {
            // A changed filter takes lanes from nodes that stop and from nodes that have crashed.
            outcome = Outcome.retry(
                    claimed.takenFrom() == null
                            ? "the node that ran it was stopped or ended"
                            : "the node that ran it ended");
        }
        claimed.deliveries().stream()
                .filter(row -> row.status() == Delivery.Status.RUNNING)
                .map(row -> suspect ? row.suspected() : row)
                .forEach(row -> finished(row, null, outcome));
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
