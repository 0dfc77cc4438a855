package io.postrider.postgres;

import io.postrider.postgres.Layout.Part;
import io.postrider.postgres.PostgresRead.Request;
import io.postrider.postgres.PostgresRead.Sought;
import io.postrider.store.StoreException;
import io.postrider.store.snapshot.Snapshot;
import io.postrider.store.snapshot.SnapshotCursor;
import io.postrider.store.snapshot.SnapshotPage;
import io.postrider.store.snapshot.SnapshotRead;
import java.sql.SQLException;
import java.util.List;

/**
 * One read of a lane, as a walk through segments: each step names a few of them ({@link Layout#NAMED_MAX}), and the
 * walk goes on while it finds nothing. As a rule one step does: the segment with the cursor's position is the open one.
 *
 * <p>The page is what the snapshot of the first step sees: later steps, which have snapshots of their own, leave out
 * what it does not. Such events are late for the next read.
 */
final class ReadWalk {
    /** Segments can be dropped while they are read; a walk that meets that again and again has another trouble. */
    private static final int TRIES_MAX = 5;

    private final PostgresRead read;
    private final Layout layout;
    private final long stable;
    private final Request request;

    /** @param stable looked up before the walk, and so before every snapshot of it */
    ReadWalk(PostgresRead read, Layout layout, long stable, Request request) {
        this.read = read;
        this.layout = layout;
        this.stable = stable;
        this.request = request;
    }

    SnapshotPage page(SnapshotCursor cursor) {
        for (int tries = 1; ; tries++) {
            try {
                return new SnapshotPage(cursor, walk(cursor));
            } catch (StoreException e) {
                if (tries == TRIES_MAX || !isUndefinedTable(e)) {
                    throw e;
                }
                layout.refresh();
            }
        }
    }

    static boolean isUndefinedTable(StoreException e) {
        return e.getCause() instanceof SQLException cause && ServerError.isUndefinedTable(cause);
    }

    private SnapshotRead walk(SnapshotCursor cursor) {
        SnapshotCursor at = cursor;
        List<Part> late = late(at);
        while (late.size() > Layout.NAMED_MAX) {
            SnapshotRead step = read.read(request, at, Sought.late(Layout.named(late)));
            if (step.size() > 0) {
                return late(step, pinned(at, step), false);
            }
            at = within(at, Layout.end(Layout.named(late)), pinned(at, step));
            late = late(at);
        }
        if (at.late() != null) {
            SnapshotRead step = read.read(request, at, Sought.late(late));
            return step.size() > 0 || cursor.late() != null
                    ? late(step, at.late().pinned(), step.lateExhausted())
                    : freshAsOf(cursor, cursor.position(), at.late().pinned());
        }
        List<Part> fresh = fresh(at.position(), Math.max(1, Layout.NAMED_MAX - late.size()));
        SnapshotRead step = read.read(request, at, new Sought(late, fresh, at.position(), null));
        boolean nothing = step.size() == 0 && step.freshExhausted() && step.head() > Layout.end(fresh);
        return nothing ? freshAsOf(cursor, Layout.end(fresh), step.snapshot()) : upTo(step, Layout.end(fresh));
    }

    /** Fresh events after a position, of those that an earlier step's snapshot sees. */
    private SnapshotRead freshAsOf(SnapshotCursor cursor, long position, Snapshot snapshot) {
        long after = position;
        while (true) {
            List<Part> fresh = fresh(after, Layout.NAMED_MAX);
            SnapshotRead step = read.read(request, cursor, new Sought(List.of(), fresh, after, snapshot));
            long end = Layout.end(fresh);
            if (step.size() > 0 || !step.freshExhausted() || step.head() <= end) {
                return upTo(asOf(step, snapshot), end);
            }
            after = end;
        }
    }

    private List<Part> late(SnapshotCursor at) {
        return at.late() != null || at.mayHaveLate() ? layout.parts(at.lateAfter(), at.position()) : List.of();
    }

    /** @param most what the late parts leave of {@link Layout#NAMED_MAX}: one statement names both */
    private List<Part> fresh(long after, int most) {
        List<Part> fresh = layout.parts(after, Long.MAX_VALUE);
        if (fresh.isEmpty()) {
            layout.refresh();
            fresh = layout.parts(after, Long.MAX_VALUE);
        }
        if (fresh.isEmpty()) {
            throw new StoreException("no segment of the log has positions after " + after);
        }
        return fresh.subList(0, Math.min(fresh.size(), most));
    }

    private static Snapshot pinned(SnapshotCursor at, SnapshotRead step) {
        return at.late() == null ? step.snapshot() : at.late().pinned();
    }

    private static SnapshotCursor within(SnapshotCursor at, long from, Snapshot pinned) {
        return new SnapshotCursor(
                at.position(), at.snapshot(), at.bound(), at.floor(), at.mark(), new SnapshotCursor.Late(from, pinned));
    }

    /** Late events that the pinned snapshot sees. */
    private SnapshotRead late(SnapshotRead step, Snapshot pinned, boolean exhausted) {
        return new SnapshotRead(
                step.late(), List.of(), pinned, step.bound(), step.head(), exhausted, false, step.defects(), stable);
    }

    private static SnapshotRead asOf(SnapshotRead step, Snapshot snapshot) {
        return new SnapshotRead(
                step.late(),
                step.fresh(),
                snapshot,
                step.bound(),
                step.head(),
                step.lateExhausted(),
                step.freshExhausted(),
                step.defects());
    }

    /** Where the head is further, more segments follow. */
    private SnapshotRead upTo(SnapshotRead step, long end) {
        return new SnapshotRead(
                step.late(),
                step.fresh(),
                step.snapshot(),
                step.bound(),
                step.head(),
                step.lateExhausted(),
                step.freshExhausted() && step.head() <= end,
                step.defects(),
                stable);
    }
}
