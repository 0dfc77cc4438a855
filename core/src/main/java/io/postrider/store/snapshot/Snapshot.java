package io.postrider.store.snapshot;

import java.util.Arrays;
import java.util.List;

/**
 * Which transactions a read could see: all below {@code xmin}, none from {@code xmax} on, and of those in between all
 * but the ones in progress. The text form is PostgreSQL's, {@code xmin:xmax:xip,xip}.
 *
 * <p>{@code xmax} is one past the <em>latest completed</em> transaction, not the next id to be assigned: a transaction
 * that was running when the snapshot was taken may be at or above it without being listed as in progress.
 */
public record Snapshot(long xmin, long xmax, List<Long> inProgress) {

    /** Sees nothing. */
    public static final Snapshot NOTHING = new Snapshot(1, 1, List.of());

    public Snapshot {
        if (xmin > xmax) {
            throw new IllegalArgumentException("a snapshot's xmin is at most its xmax, got " + xmin + ":" + xmax);
        }
        inProgress = List.copyOf(inProgress);
    }

    public static Snapshot parse(String text) {
        String[] parts = text.split(":", -1);
        if (parts.length != 3) {
            throw new IllegalArgumentException("a snapshot is xmin:xmax:xip,…, got '" + text + "'");
        }
        List<Long> inProgress = parts[2].isEmpty()
                ? List.of()
                : Arrays.stream(parts[2].split(",")).map(Long::valueOf).toList();
        return new Snapshot(Long.parseLong(parts[0]), Long.parseLong(parts[1]), inProgress);
    }

    /** Whether what this transaction committed was visible. */
    public boolean sees(long xid) {
        return xid < xmin || (xid < xmax && !inProgress.contains(xid));
    }

    @Override
    public String toString() {
        StringBuilder text =
                new StringBuilder().append(xmin).append(':').append(xmax).append(':');
        for (int i = 0; i < inProgress.size(); i++) {
            text.append(i == 0 ? "" : ",").append(inProgress.get(i));
        }
        return text.toString();
    }
}
