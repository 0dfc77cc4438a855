package io.postrider.store.snapshot;

import io.postrider.EventId;
import io.postrider.Headers;
import io.postrider.Lane;
import io.postrider.Position;
import io.postrider.StoredEvent;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.Predicate;

/**
 * The least that a cursor needs to be right about: transactions that draw an xid, then positions, and commit in any
 * order; snapshots that do not list who runs beyond the latest completed transaction.
 */
final class LogModel {
    private final List<Row> committed = new ArrayList<>();
    private final List<Transaction> open = new ArrayList<>();
    private final TreeSet<Long> running = new TreeSet<>();
    private long nextXid = 1;
    private long latestCompleted;
    private long head;

    record Row(long position, long xid) {}

    static final class Transaction {
        final List<Row> rows = new ArrayList<>();
        private long xid;
    }

    // ---- write ------------------------------------------------------------------------------------------------------

    Transaction begin() {
        Transaction transaction = new Transaction();
        open.add(transaction);
        return transaction;
    }

    List<Transaction> open() {
        return open;
    }

    void drawXid(Transaction transaction) {
        if (transaction.xid == 0) {
            transaction.xid = nextXid++;
            running.add(transaction.xid);
        }
    }

    void append(Transaction transaction) {
        drawXid(transaction);
        transaction.rows.add(new Row(++head, transaction.xid));
    }

    void commit(Transaction transaction) {
        committed.addAll(transaction.rows);
        committed.sort(Comparator.comparingLong(Row::position));
        rollback(transaction);
    }

    void rollback(Transaction transaction) {
        open.remove(transaction);
        if (transaction.xid != 0) {
            running.remove(transaction.xid);
            latestCompleted = Math.max(latestCompleted, transaction.xid);
        }
    }

    List<Row> committed() {
        return committed;
    }

    // ---- read -------------------------------------------------------------------------------------------------------

    Snapshot snapshot() {
        long xmax = latestCompleted + 1;
        List<Long> inProgress = List.copyOf(running.headSet(xmax));
        return new Snapshot(inProgress.isEmpty() ? xmax : inProgress.get(0), xmax, inProgress);
    }

    long head() {
        return head;
    }

    long bound() {
        return nextXid;
    }

    /** One read; an unsure one says that more may follow whenever its page is full, as a store may that counts rows. */
    SnapshotRead read(SnapshotCursor cursor, int most, boolean sure) {
        SnapshotCursor.Late within = cursor.late();
        List<StoredEvent> late = select(row -> row.position() > cursor.lateAfter()
                && row.position() <= cursor.position()
                && !cursor.snapshot().sees(row.xid())
                && row.xid() < cursor.bound()
                && (within == null || within.pinned().sees(row.xid())));
        List<StoredEvent> fresh = select(row -> row.position() > cursor.position());
        boolean lateExhausted = sure ? late.size() <= most : late.size() < most;
        if (!lateExhausted || within != null) {
            List<StoredEvent> page = late.subList(0, Math.min(most, late.size()));
            return new SnapshotRead(page, List.of(), snapshot(), nextXid, head, lateExhausted, false);
        }
        int room = most - late.size();
        boolean freshExhausted = sure ? fresh.size() <= room : fresh.size() < room;
        List<StoredEvent> rest = fresh.subList(0, Math.min(room, fresh.size()));
        return new SnapshotRead(late, rest, snapshot(), nextXid, head, true, freshExhausted);
    }

    private List<StoredEvent> select(Predicate<Row> wanted) {
        return committed.stream().filter(wanted).map(LogModel::event).toList();
    }

    private static StoredEvent event(Row row) {
        return new StoredEvent(
                new Position(row.position()),
                new Lane(0),
                new EventId(new UUID(row.xid(), row.position())),
                "letter.sent",
                "ann",
                "{}",
                Headers.NONE,
                null,
                Instant.EPOCH);
    }
}
