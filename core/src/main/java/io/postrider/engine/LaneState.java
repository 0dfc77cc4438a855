package io.postrider.engine;

import io.postrider.Counts;
import io.postrider.Observation;
import io.postrider.spi.Claim;
import io.postrider.spi.Cursor;
import io.postrider.spi.Delivery;
import io.postrider.spi.Ownership;
import io.postrider.spi.Page;
import io.postrider.spi.Seal;
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
    private final Observers observers;
    private final FailureLog failures;
    private Cursor cursor;
    private Counts counts;
    private long settlement;
    /** Of each stream the newest. */
    private List<Seal> seals = List.of();

    LaneState(Claim.ClaimedLane claimed, SubscriptionSpec spec, Supplier<Instant> now, LaneOwner owner) {
        this.observers = owner.observers();
        this.failures = owner.failures();
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

    Cursor cursor() {
        return cursor;
    }

    /** Takes over the stored rows, all of them: an operator may have put some back or let some go. */
    void remember(List<Delivery> rows) {
        parked.clear();
        rows.forEach(parked::put);
    }

    /** What the next settlement begins with. */
    Draft draft() {
        return new Draft(ownership, settlement + 1, cursor, counts, seals);
    }

    /** A settlement to be; immutable, so that other threads may complete it. */
    record Draft(Ownership ownership, long number, Cursor cursor, Counts before, List<Seal> seals) {
        Settlement settlement(Verdicts verdicts, Cursor next) {
            return verdicts.settlement(this, next);
        }
    }

    /** Takes over the newest seals, as they are stored. */
    void sealed(List<Seal> stored) {
        seals = stored;
    }

    /** A stream has lost what this one stood for: there is nothing to repeat of it. */
    void unsealed(Seal broken) {
        seals = seals.stream().filter(seal -> !seal.isBeside(broken)).toList();
    }

    Observers observers() {
        return observers;
    }

    /** Writes a settlement; false if the lane was lost, and then nothing has changed. */
    boolean settle(Settle store, Verdicts verdicts, Cursor next) {
        Settlement written = draft().settlement(verdicts, next);
        if (!store.settle(written)) {
            lost();
            return false;
        }
        settled(written, verdicts);
        return true;
    }

    /** Remembers a settlement that has been written, and tells it. */
    void settled(Settlement written, Verdicts verdicts) {
        settlement = written.number();
        cursor = written.cursor();
        counts = written.counts();
        seals = written.seals();
        verdicts.gone().forEach(parked::remove);
        verdicts.replaced().forEach(parked::remove);
        verdicts.changed().forEach(row -> parked.put(row.stack(null)));
        failures.settled(verdicts);
        if (observers.any() && verdicts.any()) {
            observers.observe(verdicts.told(ownership.lane()));
        }
    }

    /** Says that it was lost before its batch settled. */
    void lost() {
        observers.observe(new Observation.Lost(ownership.subscription(), ownership.lane()));
    }

    /**
     * Whether an empty page is worth a settlement: it ends a late set, behind which fresh events wait; or, now and
     * then, it brings the cursor or its floor further, so that a quiet lane does not hold prune back.
     */
    boolean movesOn(Page empty, boolean nowAndThen) {
        Cursor next = cursor.advance(empty, 0);
        return cursor.late() != null
                || (nowAndThen && (next.position() > cursor.position() || next.floor() > cursor.floor()));
    }
}
