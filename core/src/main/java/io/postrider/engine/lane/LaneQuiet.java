package io.postrider.engine.lane;

import io.postrider.Environment;
import io.postrider.engine.dispatch.SubscriptionSpec;
import io.postrider.engine.dispatch.Verdicts;
import io.postrider.store.Cursor;
import io.postrider.store.Page;
import java.time.Duration;

/**
 * How seldom a lane settles that delivers nothing. Its cursor moves with every event of other lanes, and with every
 * event that it skips; a settlement for each would be more than all others together. Whoever takes the lane over reads
 * and skips again what was not settled. Not thread-safe: the lane guards it.
 */
final class LaneQuiet {
    /** Skipped events count as pending until they are settled: within this part of {@code settleQuietEvery}. */
    private static final int SKIPPED_PART = 10;

    private final Environment environment;
    private final SubscriptionSpec spec;
    private final LaneState state;
    private long settledNanos;
    /** A settle forgets takeovers, which would else count against the next event. */
    private boolean owed;

    LaneQuiet(Environment environment, SubscriptionSpec spec, LaneState state, int takeovers) {
        this.environment = environment;
        this.spec = spec;
        this.state = state;
        this.settledNanos = environment.nanos();
        this.owed = takeovers > 0;
    }

    void settled() {
        settledNanos = environment.nanos();
        owed = false;
    }

    /** Whether these events, all of them skipped, may be settled together with later ones. */
    boolean mayWait(Verdicts verdicts, Cursor next) {
        return !owed
                && verdicts.onlySkips()
                && state.cursor().to(next) != Cursor.Progress.STEP
                && state.skipped() + verdicts.counts().skipped() < spec.limits().batchEvents()
                && !isDue(SKIPPED_PART);
    }

    /** Whether it is time to settle how far the lane is, behind an empty page. */
    boolean isDue(Page empty) {
        return owed || (state.skipped() > 0 ? isDue(SKIPPED_PART) : state.movesOn(empty, isDue(1)));
    }

    private boolean isDue(int part) {
        Duration since = Duration.ofNanos(environment.nanos() - settledNanos);
        return since.compareTo(spec.limits().settleQuietEvery().dividedBy(part)) >= 0;
    }
}
