package io.postrider.engine;

import io.postrider.Counts;
import io.postrider.Observation;
import io.postrider.spi.Claim;
import io.postrider.spi.Cursor;
import io.postrider.spi.Delivery;
import io.postrider.spi.Ownership;
import io.postrider.spi.Page;
import io.postrider.spi.Settle;
import io.postrider.spi.Settlement;
import java.time.Instant;
import java.util.List;
import java.util.function.Supplier;

/**
 * What an owner remembers of its lane. It always equals what is stored: it changes when a settlement has been written,
 * and by nothing else. Not thread-safe: the lane guards it.
 */
final class LaneState {
    private final Ownership ownership;
    private final Parked parked;
    private Cursor cursor;
    private Counts counts;
    private long settlement;

    LaneState(Claim.ClaimedLane claimed, SubscriptionSpec spec, Supplier<Instant> now) {
        ownership = claimed.ownership();
        cursor = claimed.cursor();
        counts = claimed.counts();
        settlement = claimed.settlement();
        parked = new Parked(spec, now);
        remember(claimed.deliveries());
    }

    Ownership ownership() {
        return ownership;
    }

    Parked parked() {
        return parked;
    }

    /**
     * Whether an empty page is worth a settlement: it ends a late set, behind which fresh events wait; or, if the last
     * one is long ago, it brings the cursor or its floor further, so that a quiet lane does not hold prune back.
     */
    boolean movesOn(Page empty, boolean longAgo) {
        Cursor next = cursor.advance(empty, 0);
        return cursor.late() != null
                || (longAgo && (next.position() > cursor.position() || next.floor() > cursor.floor()));
    }

    Cursor cursor() {
        return cursor;
    }

    /** Takes over the stored rows, all of them: an operator may have put some back or let some go. */
    void remember(List<Delivery> rows) {
        parked.clear();
        rows.forEach(parked::put);
    }

    /** Writes a settlement; false if the lane was lost, and then nothing has changed. */
    boolean settle(Settle store, Verdicts verdicts, Cursor next, Observers observers) {
        Settlement written = verdicts.settlement(ownership, settlement + 1, next, counts);
        if (!store.settle(written)) {
            observers.observe(new Observation.Lost(ownership.subscription(), ownership.lane()));
            return false;
        }
        settlement++;
        cursor = next;
        counts = written.counts();
        verdicts.gone().forEach(parked::remove);
        verdicts.changed().forEach(parked::put);
        if (observers.any() && verdicts.any()) {
            observers.observe(verdicts.told(ownership.lane()));
        }
        return true;
    }
}
