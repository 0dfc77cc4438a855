package io.postrider.engine.dispatch;

import io.postrider.StoredEvent;
import io.postrider.operate.Counts;
import io.postrider.store.Cursor;
import io.postrider.store.Ownership;
import io.postrider.store.Seal;
import io.postrider.store.Settlement;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A settlement to be: what the lane has settled so far. Immutable, so that other threads may complete it.
 *
 * @param recordedUntil nodes of another form of effects may have recorded effects of events appended before this; null
 *     if there were none
 */
public record Draft(
        Ownership ownership,
        long number,
        Cursor cursor,
        Counts before,
        List<Seal> seals,
        @Nullable Instant recordedUntil) {

    /** Whether an earlier node may have recorded an effect of this event without having settled it. */
    public boolean mayBeRecorded(StoredEvent event) {
        return recordedUntil != null && event.appendedAt().isBefore(recordedUntil);
    }

    public Settlement settlement(Verdicts verdicts, Cursor next) {
        return verdicts.settlement(this, next);
    }
}
