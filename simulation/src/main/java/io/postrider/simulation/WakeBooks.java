package io.postrider.simulation;

import io.postrider.EventId;
import io.postrider.Lane;
import io.postrider.StoredEvent;
import io.postrider.store.Cursor;
import io.postrider.store.Ownership;
import io.postrider.store.Page;
import io.postrider.store.Watch;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The oracle's books of wakes: a lane that is not woken by a look has read whatever was committed by then. Reads are
 * kept as they were answered, so nothing here depends on cursors.
 */
final class WakeBooks {
    private final Oracle oracle;
    private final Map<Ownership, Set<EventId>> read = new HashMap<>();

    WakeBooks(Oracle oracle) {
        this.oracle = oracle;
    }

    /** A read of this lane was answered. */
    void read(Ownership reader, Page page) {
        Set<EventId> known = read.computeIfAbsent(reader, first -> new HashSet<>());
        page.events().stream().map(StoredEvent::id).forEach(known::add);
    }

    /** The same news; whoever asks whether a lane has read them is checked. */
    Watch.News checked(Watch.News news) {
        List<LogBooks.Committed> committed = List.copyOf(oracle.log().events());
        Map<Lane, Watch.Commits> lanes = new HashMap<>();
        news.lanes().forEach((lane, commits) -> lanes.put(lane, new Checked(commits, committed)));
        return new Watch.News(lanes, news.unowned(), news.cursor());
    }

    private final class Checked implements Watch.Commits {
        private final Watch.Commits commits;
        private final List<LogBooks.Committed> committed;

        Checked(Watch.Commits commits, List<LogBooks.Committed> committed) {
            this.commits = commits;
            this.committed = committed;
        }

        @Override
        public boolean areRead(Ownership reader, Cursor reached) {
            boolean read = commits.areRead(reader, reached);
            if (read) {
                committed.stream()
                        .filter(event -> Lane.of(event.key(), event.id(), Lane.COUNT_DEFAULT)
                                .equals(reader.lane()))
                        .forEach(event -> requireRead(reader, event.id()));
            }
            return read;
        }

        @Override
        public String toString() {
            return commits.toString();
        }
    }

    private void requireRead(Ownership reader, EventId id) {
        if (!read.getOrDefault(reader, Set.of()).contains(id)
                && !oracle.log().isVanished(id)
                && oracle.isAhead(reader.subscription(), id)) {
            throw oracle.fail("12: %s is not woken for %s, which it has not read", reader, id);
        }
    }
}
