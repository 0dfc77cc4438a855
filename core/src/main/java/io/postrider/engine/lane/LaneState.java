package io.postrider.engine.lane;

import io.postrider.engine.base.Observers;
import io.postrider.engine.dispatch.Draft;
import io.postrider.engine.dispatch.FailureLog;
import io.postrider.engine.dispatch.SubscriptionSpec;
import io.postrider.engine.dispatch.Verdicts;
import io.postrider.observe.Observation;
import io.postrider.operate.Counts;
import io.postrider.store.Claim;
import io.postrider.store.Cursor;
import io.postrider.store.Ownership;
import io.postrider.store.Page;
import io.postrider.store.Park;
import io.postrider.store.Seal;
import io.postrider.store.Settle;
import io.postrider.store.Settlement;
import java.time.Instant;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What an owner remembers of its lane. It equals what is stored, but for events that were skipped: it changes when a
 * settlement has been written, or when a page had nothing else. Not thread-safe: the lane guards it.
 */
public final class LaneState {
    private final Ownership ownership;
    private final Parked parked;
    private final Observers observers;
    private final FailureLog failures;
    private final @Nullable Instant recordedUntil;
    private Cursor cursor;
    private Counts counts;
    private long settlement;
    /** Events that were skipped and are not settled yet: cursor and counts are ahead of what is stored by these. */
    private long skipped;

    /** Of each stream the newest. */
    private List<Seal> seals = List.of();

    LaneState(Claim.ClaimedLane claimed, SubscriptionSpec spec, Supplier<Instant> now, LaneOwner owner) {
        this.observers = owner.observers();
        this.failures = owner.failures();
        ownership = claimed.ownership();
        cursor = claimed.cursor();
        counts = claimed.counts();
        settlement = claimed.settlement();
        recordedUntil = claimed.recordedUntil();
        parked = new Parked(spec, now);
        remember(claimed.window());
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

    /** Takes over what is stored of the rows. */
    void remember(Park.Window window) {
        parked.load(window);
    }

    /** Events that were skipped and are not settled yet. */
    long skipped() {
        return skipped;
    }

    /** Moves on past events that were skipped; the next settlement has them too. */
    void skip(Verdicts verdicts, Cursor next) {
        cursor = next;
        counts = counts.plus(verdicts.counts());
        skipped += verdicts.counts().skipped();
        observers.observe(verdicts.told(ownership.lane()));
    }

    /** What the next settlement begins with. */
    Draft draft() {
        return new Draft(ownership, settlement + 1, cursor, counts, seals, recordedUntil);
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
        skipped = 0;
        seals = written.seals();
        parked.settled(
                Stream.concat(verdicts.settled().stream(), verdicts.replaced().stream())
                        .toList(),
                verdicts.changed().stream().map(row -> row.stack(null)).toList());
        failures.settled(verdicts);
        if (observers.any() && verdicts.any()) {
            observers.observe(verdicts.told(ownership.lane()));
        }
    }

    /** Says that it was lost before its batch settled. */
    void lost() {
        observers.observe(new Observation.Lost(ownership.subscription(), ownership.lane()));
    }

    /** Whether an empty page is worth a settlement: at once, or now and then. */
    boolean movesOn(Page empty, boolean nowAndThen) {
        return switch (cursor.to(empty.after(0))) {
            case STEP -> true;
            case SOME -> nowAndThen;
            case NONE -> false;
        };
    }
}
