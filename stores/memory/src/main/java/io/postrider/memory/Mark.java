package io.postrider.memory;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What operators and operations note of a delivery row.
 *
 * @param changedAt when the row last changed
 * @param released it is dead, and yet its key goes on
 * @param operation the last one that replayed it
 * @param reprocessed how often it was replayed by schedule
 */
record Mark(Instant changedAt, boolean released, @Nullable Long operation, int reprocessed) {

    static Mark at(Instant time) {
        return new Mark(time, false, null, 0);
    }

    Mark changed(Instant time) {
        return new Mark(time, released, operation, reprocessed);
    }

    Mark release() {
        return new Mark(changedAt, true, operation, reprocessed);
    }

    Mark replayedBy(@Nullable Long by, boolean bySchedule) {
        return new Mark(changedAt, false, by, reprocessed + (bySchedule ? 1 : 0));
    }
}
