package io.postrider.memory;

import io.postrider.store.snapshot.SnapshotCursor;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The settlements of a lane, the newest first, and never changed; before them, without a time, where it began. */
record Settled(
        SnapshotCursor cursor,
        @Nullable Instant at,
        @Nullable Settled before) {

    /** The first settlement after which an event was no longer pending; null if it still is. */
    static @Nullable Settled first(@Nullable Settled newest, LogRow row) {
        Settled found = null;
        for (Settled each = newest; each != null && MemoryLog.handled(each.cursor, row); each = each.before) {
            found = each;
        }
        return found;
    }

    /** Whether it is not a settlement, but where the lane began. */
    boolean isStart() {
        return at == null;
    }

    /** Without those that had not come past a position; the events that they settled are gone. */
    static Settled beyond(Settled newest, long position) {
        List<Settled> kept = new ArrayList<>();
        for (Settled each = newest; each != null && each.cursor.position() > position; each = each.before) {
            kept.add(0, each);
        }
        Settled left = null;
        for (Settled each : kept) {
            left = new Settled(each.cursor, each.at, left);
        }
        return left == null ? new Settled(newest.cursor, newest.at, null) : left;
    }
}
