package io.postrider.memory;

import io.postrider.operate.Delivery;
import io.postrider.operate.Story;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** What was tried of the events of a subscription that had delivery rows; the newest first, and never changed. */
record Tried(long position, Story.Attempt attempt, @Nullable Tried before) {

    /** Whether a row that is written says that an attempt has ended; {@code old} is the row it replaces. */
    static boolean hasEnded(@Nullable Delivery old, Delivery row) {
        return switch (row.status()) {
            case DEAD, EXPIRED -> old == null || old.status() != row.status();
            case WAITING ->
                row.attempt() > 0
                        && row.error() != null
                        && (old == null || (old.status() == Delivery.Status.RUNNING && row.attempt() >= old.attempt()));
            case READY, RUNNING -> false;
        };
    }

    /** What a row says of its attempt; the error of one that did not fail is of an earlier attempt. */
    static Story.Attempt attempt(Delivery row, Story.Ending ending, @Nullable String node, Instant at) {
        boolean failed = switch (ending) {
            case RETRYING, DEAD, EXPIRED -> true;
            case LOST, DELIVERED, SKIPPED, REPLAYED, DISCARDED -> false;
        };
        return new Story.Attempt(
                row.attempt(), ending, failed ? row.error() : null, node, at, failed ? row.stack() : null);
    }

    static Story.Ending ending(Delivery row) {
        return switch (row.status()) {
            case DEAD -> Story.Ending.DEAD;
            case EXPIRED -> Story.Ending.EXPIRED;
            case READY, WAITING, RUNNING -> Story.Ending.RETRYING;
        };
    }

    /** The attempts of one event, in their order. */
    static List<Story.Attempt> of(@Nullable Tried newest, long position) {
        List<Story.Attempt> attempts = new ArrayList<>();
        for (Tried each = newest; each != null; each = each.before) {
            if (each.position == position) {
                attempts.add(0, each.attempt);
            }
        }
        return attempts;
    }

    /** Those of some positions only. */
    static @Nullable Tried only(@Nullable Tried newest, Predicate<Long> positions) {
        List<Tried> kept = new ArrayList<>();
        for (Tried each = newest; each != null; each = each.before) {
            if (positions.test(each.position)) {
                kept.add(0, each);
            }
        }
        Tried left = null;
        for (Tried each : kept) {
            left = new Tried(each.position, each.attempt, left);
        }
        return left;
    }
}
