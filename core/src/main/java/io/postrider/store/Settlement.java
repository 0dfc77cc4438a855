package io.postrider.store;

import io.postrider.Position;
import io.postrider.operate.Counts;
import io.postrider.operate.Delivery;
import java.util.List;

/**
 * One settled batch of a lane, written in one short transaction: a small append-only row with the cursor and the
 * counts, and the few delivery rows that changed.
 *
 * @param number this lane's settlement number; the newest is the lane's cursor
 * @param counts cumulative, so that the newest settlement is the lane's ledger
 * @param changed delivery rows to insert or replace
 * @param settled positions whose delivery rows are done and go away
 * @param seals what destinations that can lose events have acknowledged last
 * @param found numbers of {@link Seals.Lost} whose events are the changed rows: where there are any, a row that is
 *     there already stays as it is, and the store tallies back that its event was counted as parked or dead, no longer
 *     as delivered
 * @param declined events that were skipped although the filter takes them, and those with a row that were skipped: a
 *     store remembers each as an attempt
 */
public record Settlement(
        Ownership ownership,
        long number,
        Cursor cursor,
        Counts counts,
        List<Delivery> changed,
        List<Position> settled,
        List<Seal> seals,
        List<Long> found,
        List<Declined> declined) {
    public Settlement {
        declined = List.copyOf(declined);
        changed = List.copyOf(changed);
        settled = List.copyOf(settled);
        seals = List.copyOf(seals);
        found = List.copyOf(found);
    }

    /** An event that was skipped by its destination, in this attempt. */
    public record Declined(Position position, int attempt) {}

    /** A settlement without events that a destination has skipped. */
    public Settlement(
            Ownership ownership,
            long number,
            Cursor cursor,
            Counts counts,
            List<Delivery> changed,
            List<Position> settled,
            List<Seal> seals,
            List<Long> found) {
        this(ownership, number, cursor, counts, changed, settled, seals, found, List.of());
    }

    /** A settlement of events whose destinations lose nothing. */
    public Settlement(
            Ownership ownership,
            long number,
            Cursor cursor,
            Counts counts,
            List<Delivery> changed,
            List<Position> settled) {
        this(ownership, number, cursor, counts, changed, settled, List.of(), List.of());
    }
}
