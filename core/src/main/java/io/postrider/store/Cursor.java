package io.postrider.store;

import org.jspecify.annotations.Nullable;

/**
 * How far a lane of a subscription has been read, so that nothing is lost although positions are drawn before commits.
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
 * that knows who writes to its log knows it earlier, and says so with {@link Page#stable}.
 *
 * <p>The late set can be long, so it is read in pages: {@link Late} pins the snapshot in which paging began and how far
 * it got. Nothing fresh is read until the late set is exhausted; then the pinned snapshot becomes the cursor's.
 *
 * <p>Immutable; the algebra is here and not in a store, so that every store and the simulation share it.
 */
public record Cursor(
        long position,
        Snapshot snapshot,
        long bound,
        long floor,
        @Nullable Mark mark,
        @Nullable Late late) {

    /** All transactions that drew a position up to {@code position} have an xid below {@code bound}. */
    public record Mark(long bound, long position) {}

    /** Late rows up to {@code from} that {@code pinned} sees have been handled. */
    public record Late(long from, Snapshot pinned) {}

    public Cursor {
        if (floor > position) {
            throw new IllegalArgumentException("a cursor's floor " + floor + " is above its position " + position);
        }
    }

    /** Everything after this position, and nothing at or below it, also not what commits late. */
    public static Cursor after(long position) {
        return new Cursor(position, Snapshot.NOTHING, Snapshot.NOTHING.xmax(), position, null, null);
    }

    /** Everything this snapshot does not see; positions up to {@code head} were drawn by xids below {@code bound}. */
    public static Cursor notIn(Snapshot snapshot, long head, long bound) {
        return new Cursor(head, snapshot, bound, 0, new Mark(bound, head), null);
    }

    /** The lowest position at which the late set can have a row, exclusive. */
    public long lateAfter() {
        return late == null ? floor : Math.max(floor, late.from());
    }

    /** Whether some transaction that this cursor has not seen may have a row at or below its position. */
    public boolean mayHaveLate() {
        return lateAfter() < position && (!snapshot.inProgress().isEmpty() || bound > snapshot.xmax());
    }

    /** The cursor once the first {@code handled} events of a page read behind this one have been handled. */
    public Cursor advance(Page page, int handled) {
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

    private Cursor withinLate(Page page, long from) {
        Snapshot pinned = late == null ? page.snapshot() : late.pinned();
        return new Cursor(position, snapshot, bound, floor, mark, new Late(from, pinned));
    }

    private Cursor afterPinned() {
        return new Cursor(position, java.util.Objects.requireNonNull(late).pinned(), bound, floor, mark, null);
    }

    private Cursor afterFresh(Page page, int handled) {
        long reached = reached(page, handled);
        boolean settledMark = mark != null && page.snapshot().xmin() >= mark.bound();
        long marked = settledMark
                ? Math.max(floor, java.util.Objects.requireNonNull(mark).position())
                : floor;
        long raised = Math.max(marked, Math.min(page.stable(), reached));
        Mark next = mark == null || settledMark ? new Mark(page.bound(), reached) : mark;
        return new Cursor(reached, page.snapshot(), page.bound(), raised, next, null);
    }

    /** A page with nothing beyond it reaches the head of the log, so that quiet lanes do not hold prune back. */
    private long reached(Page page, int handled) {
        int fresh = handled - page.late().size();
        if (fresh == page.fresh().size() && page.freshExhausted()) {
            return Math.max(position, page.head());
        }
        return fresh == 0 ? position : page.fresh().get(fresh - 1).position().value();
    }
}
