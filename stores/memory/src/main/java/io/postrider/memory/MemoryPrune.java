package io.postrider.memory;

import io.postrider.store.Prune;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** Prune: every event is a segment of its own. Delivery rows keep their events. */
final class MemoryPrune implements Prune {
    private final MemoryState state;

    MemoryPrune(MemoryState state) {
        this.state = state;
    }

    @Override
    public Pruned prune(Duration retain) {
        synchronized (state) {
            Instant keepFrom = state.now().minus(retain);
            List<LogRow> old = state.log.rows().headMap(state.floor(), true).values().stream()
                    .takeWhile(row -> !row.event().appendedAt().isAfter(keepFrom))
                    .toList();
            old.forEach(state.log::prune);
            if (!old.isEmpty()) {
                forgetUpTo(old.get(old.size() - 1).position());
            }
            return new Pruned(0, old.size(), state.log.rows().size(), 0);
        }
    }

    /** What was tried of an event, when it was settled and under which filter goes with the event. */
    private void forgetUpTo(long pruned) {
        state.subscriptions.values().forEach(row -> row.tried = Tried.only(row.tried, position -> position > pruned));
        state.lanes().forEach(lane -> {
            lane.settled = Settled.beyond(lane.settled, pruned);
            lane.pastFilters.removeIf(past -> past.cursor().position() <= pruned);
        });
    }
}
