package io.postrider.memory;

import io.postrider.EventId;
import io.postrider.Lane;
import io.postrider.Position;
import io.postrider.StoredEvent;
import io.postrider.store.snapshot.SnapshotCursor;
import io.postrider.store.snapshot.SnapshotPage;
import io.postrider.store.snapshot.SnapshotRead;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** One read of a lane: late events first, then fresh ones, as long as there is room. */
final class MemoryRead {
    private final MemoryLog log;
    private final Map<EventId, String> defects;
    private final NavigableMap<Long, LogRow> rows;
    private final SnapshotCursor cursor;

    MemoryRead(MemoryState state, Lane lane, SnapshotCursor cursor) {
        this.log = state.log;
        this.defects = state.defects;
        this.rows = log.lane(lane);
        this.cursor = cursor;
    }

    SnapshotPage page(int maxEvents, long maxBytes) {
        Room room = new Room(maxEvents, maxBytes);
        List<StoredEvent> late = new ArrayList<>();
        List<StoredEvent> fresh = new ArrayList<>();
        boolean lateExhausted = room.fill(late, MemoryLog.late(rows, cursor));
        boolean readsFresh = lateExhausted && cursor.late() == null;
        boolean freshExhausted = readsFresh && room.fill(fresh, MemoryLog.fresh(rows, cursor));
        SnapshotRead read = new SnapshotRead(
                late, fresh, log.snapshot(), log.bound(), log.head(), lateExhausted, freshExhausted, of(late, fresh));
        return new SnapshotPage(cursor, read);
    }

    private Map<Position, String> of(List<StoredEvent> late, List<StoredEvent> fresh) {
        return defects.isEmpty()
                ? Map.of()
                : Stream.concat(late.stream(), fresh.stream())
                        .filter(event -> defects.containsKey(event.id()))
                        .collect(Collectors.toMap(StoredEvent::position, event -> defects.get(event.id())));
    }

    /** What a page may still take; the first event always fits. */
    private static final class Room {
        private final int maxEvents;
        private final long maxBytes;
        private int events;
        private long bytes;

        Room(int maxEvents, long maxBytes) {
            this.maxEvents = maxEvents;
            this.maxBytes = maxBytes;
        }

        /** Takes rows in their order while they fit; true if all did. */
        boolean fill(List<StoredEvent> page, Collection<LogRow> rows) {
            for (LogRow row : rows) {
                if (events > 0 && (events >= maxEvents || bytes + row.bytes() > maxBytes)) {
                    return false;
                }
                events++;
                bytes += row.bytes();
                page.add(row.event());
            }
            return true;
        }
    }
}
