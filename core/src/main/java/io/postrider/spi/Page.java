package io.postrider.spi;

import io.postrider.StoredEvent;
import java.util.List;

/**
 * What one read found behind a cursor, in one snapshot: late events first, then fresh ones, each by position.
 *
 * @param snapshot what this read could see
 * @param bound an xid drawn after the read: whoever had drawn a position up to {@code head} is below it
 * @param head the highest position drawn when the read was made, at least that of every event in it
 * @param lateExhausted no late event was left out
 * @param freshExhausted no fresh event was left out
 */
public record Page(
        List<StoredEvent> late,
        List<StoredEvent> fresh,
        Snapshot snapshot,
        long bound,
        long head,
        boolean lateExhausted,
        boolean freshExhausted) {

    public Page {
        late = List.copyOf(late);
        fresh = List.copyOf(fresh);
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
