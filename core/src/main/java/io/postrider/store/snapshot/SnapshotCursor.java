package io.postrider.store.snapshot;

import io.postrider.store.Cursor;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A cursor that loses nothing although positions are drawn before commits.
 *
 * <p>A position is drawn inside a transaction that commits at any later time, so "everything after the last position"
 * misses what commits late. A cursor therefore remembers <em>what it could see</em>. Its invariants:
 *
 * <ol>
 *   <li>every row at or below {@code position} that {@code snapshot} sees has been handled;
 *   <li>every transaction that drew a position at or below {@code position} has an xid below {@code bound} (an xid is
 *       assigned before a position is drawn, and the bound is drawn after the read);
 *   <li>no row that has not been handled is, or will ever be, at or below {@code floor}.
 * </ol>
 *
 * <p>So the next read needs two sets: <b>fresh</b>, above {@code position}; and <b>late</b>, above {@code floor} and up
 * to {@code position}, whose xid {@code snapshot} does not see: in progress in it, or from its xmax up to
 * {@code bound}. Both are complete by 1 and 2, and disjoint from what was handled.
 *
 * <p>The floor follows from a {@link Mark}: once a later snapshot's xmin has reached the mark's bound, all transactions
 * that drew a position up to the mark have ended, and a read in that snapshot has handled what they committed. A store
 * that knows who writes to its log knows it earlier, and says so with {@link SnapshotRead#stable}.
 *
 * <p>The late set can be long, so it is read in pages: {@link Late} pins the snapshot in which paging began and how far
 * it got. Nothing fresh is read until the late set is exhausted; then the pinned snapshot becomes the cursor's.
 *
 * <p>Immutable; the algebra is here and not in a store, so that every store and the simulation share it.
 */
public record SnapshotCursor(
        long position,
        Snapshot snapshot,
        long bound,
        long floor,
        @Nullable Mark mark,
        @Nullable Late late) implements Cursor {

    /** All transactions that drew a position up to {@code position} have an xid below {@code bound}. */
    public record Mark(long bound, long position) {}

    /** Late rows up to {@code from} that {@code pinned} sees have been handled. */
    public record Late(long from, Snapshot pinned) {}

    public SnapshotCursor {
        if (floor > position) {
            throw new IllegalArgumentException("a cursor's floor " + floor + " is above its position " + position);
        }
    }

    /** Everything after this position, and nothing at or below it, also not what commits late. */
    public static SnapshotCursor after(long position) {
        return new SnapshotCursor(position, Snapshot.NOTHING, Snapshot.NOTHING.xmax(), position, null, null);
    }

    /** Everything this snapshot does not see; positions up to {@code head} were drawn by xids below {@code bound}. */
    public static SnapshotCursor notIn(Snapshot snapshot, long head, long bound) {
        return new SnapshotCursor(head, snapshot, bound, 0, new Mark(bound, head), null);
    }

    /** A cursor that such a store has made; nobody else's cursors are handed to it. */
    public static SnapshotCursor of(Cursor cursor) {
        if (cursor instanceof SnapshotCursor own) {
            return own;
        }
        throw new IllegalArgumentException("not a cursor of this store: " + cursor);
    }

    /** A late set is read in steps; beside it, a cursor or its floor moves on as the log does. */
    @Override
    public Progress to(Cursor next) {
        SnapshotCursor further = of(next);
        if (late != null || further.late() != null) {
            return Progress.STEP;
        }
        return further.position() > position || further.floor() > floor ? Progress.SOME : Progress.NONE;
    }

    /** The lowest position at which the late set can have a row, exclusive. */
    public long lateAfter() {
        return late == null ? floor : Math.max(floor, late.from());
    }

    /** Whether some transaction that this cursor has not seen may have a row at or below its position. */
    public boolean mayHaveLate() {
        return lateAfter() < position && (!snapshot.inProgress().isEmpty() || bound > snapshot.xmax());
    }

    /** Whether what this transaction committed at this position has been handled: the first invariant. */
    public boolean hasPassed(long position, long xid) {
        return position <= this.position && snapshot.sees(xid);
    }

    /** The cursor once the first {@code handled} events of a page read behind this one have been handled. */
    public SnapshotCursor advance(SnapshotRead page, int handled) {
        if (handled < 0 || handled > page.size()) {
            throw new IllegalArgumentException("handled " + handled + " of a page of " + page.size());
        }
        if (handled < page.late().size()) {
            return handled == 0
                    ? this
                    : withinLate(page, page.late().get(handled - 1).position().value());
        }
        if (!page.lateExhausted()) {
            return withinLate(page, page.late().get(handled - 1).position().value());
        }
        return late != null ? afterPinned() : afterFresh(page, handled);
    }

    private SnapshotCursor withinLate(SnapshotRead page, long from) {
        Snapshot pinned = late == null ? page.snapshot() : late.pinned();
        return new SnapshotCursor(position, snapshot, bound, floor, mark, new Late(from, pinned));
    }

    private SnapshotCursor afterPinned() {
        return new SnapshotCursor(position, Objects.requireNonNull(late).pinned(), bound, floor, mark, null);
    }

    private SnapshotCursor afterFresh(SnapshotRead page, int handled) {
        long reached = reached(page, handled);
        boolean settledMark = mark != null && page.snapshot().xmin() >= mark.bound();
        long marked = settledMark ? Math.max(floor, Objects.requireNonNull(mark).position()) : floor;
        long raised = Math.max(marked, Math.min(page.stable(), reached));
        Mark next = mark == null || settledMark ? new Mark(page.bound(), reached) : mark;
        return new SnapshotCursor(reached, page.snapshot(), page.bound(), raised, next, null);
    }

    /** A page with nothing beyond it reaches the head of the log, so that quiet lanes do not hold prune back. */
    private long reached(SnapshotRead page, int handled) {
        int fresh = handled - page.late().size();
        if (fresh == page.fresh().size() && page.freshExhausted()) {
            return Math.max(position, page.head());
        }
        return fresh == 0 ? position : page.fresh().get(fresh - 1).position().value();
    }
}
