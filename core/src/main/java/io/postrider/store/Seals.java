package io.postrider.store;

import io.postrider.Position;
import io.postrider.StoredEvent;
import java.time.Duration;
import java.util.List;

/**
 * What is known of events that destinations have acknowledged, for the day on which one of them has lost some. A seal
 * is written with each settlement; one that is found to be broken becomes a {@link Lost}, until its events are parked.
 */
public interface Seals {

    /**
     * The seals of a lane's settlements before this one, the newest first, no older than this; settlements without
     * seals are left out.
     */
    List<Sealing> sealings(Ownership ownership, long before, Duration age, int limit);

    /**
     * Takes these seals away from their settlements and notes them as lost, all or nothing.
     *
     * @return false if the lane is another's by now: nothing was written
     */
    boolean lose(Ownership ownership, List<Sealing> broken);

    /** What is noted as lost and not parked yet, the oldest first. */
    List<Lost> lost(Ownership ownership, int limit);

    /** The events at these positions of the lane, as far as the log still has them. */
    List<StoredEvent> events(Ownership ownership, List<Position> positions);

    /** The seals of one settlement. */
    record Sealing(long settlement, List<Seal> seals) {
        public Sealing {
            seals = List.copyOf(seals);
        }
    }

    /** A broken seal, under a number of its own. */
    record Lost(long number, Seal seal) {}
}
