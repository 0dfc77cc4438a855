package io.postrider.memory;

import io.postrider.Lane;
import io.postrider.store.Cursor;
import io.postrider.store.Watch;
import io.postrider.store.snapshot.FreshCommits;
import io.postrider.store.snapshot.SnapshotCursor;
import io.postrider.store.snapshot.SnapshotRead;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Watch: a read of all lanes that only keeps their numbers, and of a few fresh events position and xid. */
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
            SnapshotRead seen =
                    new SnapshotRead(List.of(), List.of(), log.snapshot(), log.bound(), log.head(), true, true);
            return new News(commits(log, cursor), unowned(), cursor.advance(seen, 0));
        }
    }

    private Map<Lane, Commits> commits(MemoryLog log, SnapshotCursor cursor) {
        Map<Lane, List<LogRow>> fresh = byLane(MemoryLog.fresh(log.rows(), cursor));
        Map<Lane, List<LogRow>> late = byLane(MemoryLog.late(log.rows(), cursor));
        Map<Lane, Commits> commits = new TreeMap<>();
        fresh.forEach((lane, rows) -> commits.put(lane, commits(rows, late.containsKey(lane))));
        late.keySet().forEach(lane -> commits.putIfAbsent(lane, commits(List.of(), true)));
        return commits;
    }

    private static Map<Lane, List<LogRow>> byLane(Collection<LogRow> rows) {
        return rows.stream().collect(Collectors.groupingBy(row -> row.event().lane()));
    }

    private Commits commits(List<LogRow> fresh, boolean late) {
        return new FreshCommits(
                state.incarnation(),
                fresh.stream()
                        .limit(FreshCommits.FEW)
                        .map(row -> new FreshCommits.Commit(row.position(), row.xid()))
                        .toList(),
                !late && fresh.size() <= FreshCommits.FEW);
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
