package io.postrider.memory;

import io.postrider.Lane;
import io.postrider.store.Cursor;
import io.postrider.store.Watch;
import io.postrider.store.snapshot.SnapshotCursor;
import io.postrider.store.snapshot.SnapshotRead;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Watch: a read of all lanes that only keeps their numbers. */
final class MemoryWatch implements Watch {
    private final MemoryState state;

    MemoryWatch(MemoryState state) {
        this.state = state;
    }

    @Override
    public News watch(Cursor since) {
        SnapshotCursor cursor = SnapshotCursor.of(since);
        synchronized (state) {
            MemoryLog log = state.log;
            Set<Lane> lanes = Stream.concat(
                            MemoryLog.late(log.rows(), cursor).stream(), MemoryLog.fresh(log.rows(), cursor).stream())
                    .map(row -> row.event().lane())
                    .collect(Collectors.toSet());
            SnapshotRead seen =
                    new SnapshotRead(List.of(), List.of(), log.snapshot(), log.bound(), log.head(), true, true);
            return new News(lanes, unowned(), cursor.advance(seen, 0));
        }
    }

    @Override
    public Cursor now() {
        synchronized (state) {
            return SnapshotCursor.notIn(state.log.snapshot(), state.log.head(), state.log.bound());
        }
    }

    private Set<String> unowned() {
        return state.lanes()
                .filter(LaneRow::wasHandedBack)
                .map(lane -> lane.subscription)
                .collect(Collectors.toSet());
    }
}
