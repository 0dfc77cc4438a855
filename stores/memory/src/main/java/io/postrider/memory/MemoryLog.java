package io.postrider.memory;

import io.postrider.Lane;
import io.postrider.store.snapshot.Snapshot;
import io.postrider.store.snapshot.SnapshotCursor;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Committed events by position, the counters that transactions draw from, and what a snapshot needs to know of them.
 * Guarded by the {@link MemoryState} it belongs to.
 */
final class MemoryLog {
    private final NavigableMap<Long, LogRow> rows = new TreeMap<>();
    private final List<NavigableMap<Long, LogRow>> lanes = new ArrayList<>();
    /** Transactions that have not ended, and when each drew its id. */
    private final TreeMap<Long, Instant> running = new TreeMap<>();

    private long nextXid = Snapshot.NOTHING.xmax();
    private long latestCompleted = nextXid - 1;
    private long head;
    private long prunedTo;

    MemoryLog(int count) {
        for (int i = 0; i < count; i++) {
            lanes.add(new TreeMap<>());
        }
    }

    /** What is left of it after a crash: transactions that were open are gone, and what they drew is drawn again. */
    MemoryLog copy() {
        MemoryLog copy = new MemoryLog(lanes.size());
        rows.values().forEach(copy::put);
        copy.nextXid = nextXid;
        copy.latestCompleted = nextXid - 1;
        copy.head = head;
        copy.prunedTo = prunedTo;
        return copy;
    }

    // ---- transactions -----------------------------------------------------------------------------------------------

    long drawXid(Instant now) {
        running.put(nextXid, now);
        return nextXid++;
    }

    /** Transactions that have drawn an xid and not ended, the oldest first. */
    Map<Long, Instant> running() {
        return Collections.unmodifiableMap(running);
    }

    /** The same by their xids; each has appended, or may. */
    SortedMap<Long, Instant> appending() {
        return Collections.unmodifiableSortedMap(running);
    }

    long drawPosition() {
        return ++head;
    }

    /** Ends a transaction; what it leaves is visible from now on. */
    void complete(long xid, Collection<LogRow> left) {
        running.remove(xid);
        latestCompleted = Math.max(latestCompleted, xid);
        left.forEach(this::put);
    }

    private void put(LogRow row) {
        rows.put(row.position(), row);
        lane(row.event().lane()).put(row.position(), row);
    }

    // ---- what a read sees -------------------------------------------------------------------------------------------

    /** As PostgreSQL takes it: a transaction that runs beyond the latest completed one is not listed. */
    Snapshot snapshot() {
        long xmax = latestCompleted + 1;
        List<Long> inProgress = List.copyOf(running.headMap(xmax).keySet());
        return new Snapshot(inProgress.isEmpty() ? xmax : inProgress.get(0), xmax, inProgress);
    }

    /** Every xid that has been assigned is below it. */
    long bound() {
        return nextXid;
    }

    /** The highest position that has been drawn. */
    long head() {
        return head;
    }

    NavigableMap<Long, LogRow> rows() {
        return rows;
    }

    NavigableMap<Long, LogRow> lane(Lane lane) {
        return lanes.get(lane.number());
    }

    @Nullable
    LogRow row(long position) {
        return rows.get(position);
    }

    /** Nothing at or below it is in the log any more; 0 if nothing was pruned yet. */
    long prunedTo() {
        return prunedTo;
    }

    void prune(LogRow row) {
        prunedTo = Math.max(prunedTo, row.position());
        rows.remove(row.position());
        lane(row.event().lane()).remove(row.position());
    }

    // ---- the two sets behind a cursor -------------------------------------------------------------------------------

    /** The rows a cursor has passed without seeing them, of those that are visible where it pages, or now. */
    static List<LogRow> late(NavigableMap<Long, LogRow> rows, SnapshotCursor cursor) {
        if (!cursor.mayHaveLate()) {
            return List.of();
        }
        SnapshotCursor.Late within = cursor.late();
        return rows.subMap(cursor.lateAfter(), false, cursor.position(), true).values().stream()
                .filter(row -> !cursor.snapshot().sees(row.xid()))
                .filter(row -> within == null || within.pinned().sees(row.xid()))
                .toList();
    }

    static Collection<LogRow> fresh(NavigableMap<Long, LogRow> rows, SnapshotCursor cursor) {
        return rows.tailMap(cursor.position(), false).values();
    }

    /** Every visible row that a cursor has not handled, also those that its paging has not come to. */
    static List<LogRow> pending(NavigableMap<Long, LogRow> rows, SnapshotCursor cursor) {
        List<LogRow> pending = new ArrayList<>();
        rows.subMap(cursor.floor(), false, cursor.position(), true).values().stream()
                .filter(row -> !cursor.snapshot().sees(row.xid()) && !paged(cursor.late(), row))
                .forEach(pending::add);
        pending.addAll(fresh(rows, cursor));
        return pending;
    }

    /** Whether a cursor has come past a visible row. */
    static boolean handled(SnapshotCursor cursor, LogRow row) {
        return row.position() <= cursor.floor()
                || (row.position() <= cursor.position()
                        && (cursor.snapshot().sees(row.xid()) || paged(cursor.late(), row)));
    }

    private static boolean paged(SnapshotCursor.@Nullable Late late, LogRow row) {
        return late != null && row.position() <= late.from() && late.pinned().sees(row.xid());
    }
}
