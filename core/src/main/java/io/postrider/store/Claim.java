package io.postrider.store;

import io.postrider.Headers;
import io.postrider.Lane;
import io.postrider.Position;
import io.postrider.StoredEvent;
import io.postrider.operate.Counts;
import io.postrider.operate.Delivery;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The second verb: a node takes lanes, then reads what is behind their cursors. */
public interface Claim {

    /**
     * Takes up to {@code most} lanes that nobody holds, or whose holder's lease has run out, or that this node holds
     * already but does not name in {@code held}. Each gets the next epoch, whose number fences its earlier holder.
     */
    List<ClaimedLane> claim(Claimant claimant, List<Lane> held, int most);

    /**
     * Hands lanes back, so that another node can take them at once, and answers how many: lanes held under another
     * epoch are left alone.
     */
    int release(List<Ownership> ownerships);

    /**
     * Reads the next events of a lane behind a cursor, at least one if there is one, within both limits. Behind a
     * cursor that is within a late set it reads the rest of that set, in the pinned snapshot, and nothing fresh.
     *
     * @throws StoreException if the store has had another incarnation since the lane was claimed
     */
    Page read(Ownership ownership, Cursor cursor, int maxEvents, long maxBytes);

    /**
     * Claims delivery rows of a lane: each is running from now on, its attempt counted, and behind no other. Rows that
     * are gone are left out; one whose event is gone is answered with that defect. Under another epoch the answer is
     * empty.
     */
    List<ClaimedDelivery> claim(Ownership ownership, List<Position> positions);

    /**
     * Who claims, and for what.
     *
     * @param filter the fingerprint of this node's filter; where the subscription has another one by now, none are
     *     given
     * @param view which delivery rows the owner has to know
     */
    record Claimant(String node, String subscription, String filter, Park.View view) {}

    /**
     * A lane and what its earlier holders left.
     *
     * @param takeovers how often a lease ran out over it since it last settled, this time included
     * @param window those rows that the claimant has to know
     * @param takenFrom the node that held it until now, whose lease has ended or which did not run it; null if none did
     * @param recordedUntil the form of effects changed before: a node of that time may have recorded, and not settled,
     *     effects of events that were appended before this; null if the form never changed
     */
    record ClaimedLane(
            Ownership ownership,
            int takeovers,
            Cursor cursor,
            long settlement,
            Counts counts,
            Park.Window window,
            @Nullable String takenFrom,
            @Nullable Instant recordedUntil) {
        /**
         * How long after a change of the form an event may be appended that a node of the former form still handles: as
         * long as the commit of the change may take to become visible.
         */
        public static final Duration RECORDED_BEYOND = Duration.ofMinutes(10);

        /** The same with another time until which effects may have been recorded. */
        public ClaimedLane recordedUntil(@Nullable Instant until) {
            return new ClaimedLane(ownership, takeovers, cursor, settlement, counts, window, takenFrom, until);
        }

        /** The rows of the window. */
        public List<Delivery> deliveries() {
            return window.rows();
        }
    }

    /**
     * A delivery row, claimed, with its event.
     *
     * @param defect why it cannot be dispatched: its event is no longer in the log, or none can be made of what is
     *     there; null where nothing is wrong
     * @param claim the number of the claim of a task; {@link #BY_LANE} for a row that belongs to its lane
     */
    record ClaimedDelivery(
            Delivery delivery, StoredEvent event, @Nullable String defect, long claim) {
        /** Rows of a lane are claimed under its epoch. */
        public static final long BY_LANE = 0;

        /** What a row whose event is gone is dead of. */
        public static final String GONE = "the event is no longer in the log";

        public ClaimedDelivery(Delivery delivery, StoredEvent event) {
            this(delivery, event, null, BY_LANE);
        }

        /** A row without a usable event: in its place is what the row knows of it. */
        public static ClaimedDelivery defective(Delivery row, Lane lane, String defect) {
            StoredEvent known = new StoredEvent(
                    row.position(), lane, row.id(), row.type(), row.key(), "null", Headers.NONE, null, row.dueAt());
            return new ClaimedDelivery(row, known, defect, BY_LANE);
        }

        /** The same as a task under this claim. */
        public ClaimedDelivery under(long number) {
            return new ClaimedDelivery(delivery, event, defect, number);
        }
    }
}
