package io.postrider.observability;

import io.postrider.EventId;
import io.postrider.operate.Browse;
import io.postrider.operate.Counts;
import io.postrider.operate.Delivery;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * How a subscription was doing when the store was asked last.
 *
 * @param unread how many events lie behind its cursors, roughly
 * @param unreadSince when the oldest of them was appended
 * @param pendingSince when the oldest was appended that is unread or waits in a delivery row
 */
record Reading(
        Counts counts,
        long unread,
        @Nullable Instant unreadSince,
        @Nullable Instant pendingSince) {
    static final Reading NOTHING = new Reading(Counts.NONE, 0, null, null);

    private static final int VERSION_WITH_TIME = 7;

    static Reading of(Browse.Progress progress, Collection<Delivery> waiting) {
        Instant oldest = Stream.concat(
                        Stream.ofNullable(progress.oldestPending()),
                        waiting.stream().map(Reading::waitsSince))
                .filter(Objects::nonNull)
                .min(Comparator.naturalOrder())
                .orElse(null);
        return new Reading(progress.counts(), progress.pendingEstimate(), progress.oldestPending(), oldest);
    }

    /**
     * A row knows no time of its event but the one in its id. One that was never dispatched is wanted from when it is
     * due: it was scheduled for later, put back by an operator, or waits behind an older row, which counts anyway.
     */
    private static Instant waitsSince(Delivery row) {
        return row.attempt() > 0 && row.id().value().version() == VERSION_WITH_TIME ? drawnAt(row.id()) : row.dueAt();
    }

    private static Instant drawnAt(EventId id) {
        return Instant.ofEpochMilli(id.value().getMostSignificantBits() >>> 16);
    }

    long pending() {
        return unread + counts.parked();
    }

    double pendingAge(Instant now) {
        return seconds(pendingSince, now);
    }

    double unreadAge(Instant now) {
        return seconds(unreadSince, now);
    }

    private static double seconds(@Nullable Instant since, Instant now) {
        return since == null || since.isAfter(now)
                ? 0
                : Duration.between(since, now).toMillis() / 1_000.0;
    }
}
