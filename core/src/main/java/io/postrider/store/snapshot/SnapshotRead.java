package io.postrider.store.snapshot;

import io.postrider.Position;
import io.postrider.StoredEvent;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What one read found behind a cursor, in one snapshot: late events first, then fresh ones, each by position.
 *
 * @param snapshot what this read could see
 * @param bound an xid drawn after the read: whoever had drawn a position up to {@code head} is below it
 * @param head the highest position drawn when the read was made, at least that of every event in it
 * @param lateExhausted no late event was left out
 * @param freshExhausted no fresh event was left out
 * @param defects why no event could be made of what the log has at these positions; the page has what is known of it in
 *     its place, and the engine buries it
 * @param stable up to this position everything was decided before the snapshot was taken: committed, or never to be; 0
 *     where a store does not know
 */
public record SnapshotRead(
        List<StoredEvent> late,
        List<StoredEvent> fresh,
        Snapshot snapshot,
        long bound,
        long head,
        boolean lateExhausted,
        boolean freshExhausted,
        Map<Position, String> defects,
        long stable) {

    /** A read of a store that does not know what is stable. */
    public SnapshotRead(
            List<StoredEvent> late,
            List<StoredEvent> fresh,
            Snapshot snapshot,
            long bound,
            long head,
            boolean lateExhausted,
            boolean freshExhausted,
            Map<Position, String> defects) {
        this(late, fresh, snapshot, bound, head, lateExhausted, freshExhausted, defects, 0);
    }

    /** A read of events without a defect. */
    public SnapshotRead(
            List<StoredEvent> late,
            List<StoredEvent> fresh,
            Snapshot snapshot,
            long bound,
            long head,
            boolean lateExhausted,
            boolean freshExhausted) {
        this(late, fresh, snapshot, bound, head, lateExhausted, freshExhausted, Map.of());
    }

    public SnapshotRead {
        late = List.copyOf(late);
        fresh = List.copyOf(fresh);
        // In their order, which a copy of the JDK has not: traces of the simulation tell it.
        defects = defects.isEmpty() ? Map.of() : Collections.unmodifiableMap(new LinkedHashMap<>(defects));
        if (!lateExhausted && !fresh.isEmpty()) {
            throw new IllegalArgumentException("fresh events may follow only when no late event is left");
        }
        if (!lateExhausted && late.isEmpty()) {
            throw new IllegalArgumentException("a page that leaves late events out must have some");
        }
    }

    public int size() {
        return late.size() + fresh.size();
    }

    /** Whether a further read may find more at once. */
    public boolean more() {
        return !lateExhausted || !freshExhausted;
    }
}
