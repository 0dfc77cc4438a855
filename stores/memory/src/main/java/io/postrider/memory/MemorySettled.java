package io.postrider.memory;

import io.postrider.Headers;
import io.postrider.StoredEvent;
import io.postrider.memory.LaneRow.DeliveryRow;
import io.postrider.operate.Counts;
import io.postrider.operate.Delivery;
import io.postrider.operate.Operate.Answer;
import io.postrider.operate.Operation;
import io.postrider.operate.Operation.Standing;
import io.postrider.operate.Story;
import io.postrider.store.FilterText;
import io.postrider.store.snapshot.SnapshotCursor;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Events that a subscription has settled and that have no delivery row: skipped or delivered. A replay gives them one.
 * Called with the state's monitor.
 */
final class MemorySettled {
    private final MemoryState state;
    private final MemoryFilters filters;

    MemorySettled(MemoryState state) {
        this.state = state;
        this.filters = new MemoryFilters(state);
    }

    /** A settled event. */
    record Found(LaneRow lane, LogRow row, Standing standing) {
        long position() {
            return row.position();
        }

        StoredEvent event() {
            return row.event();
        }

        /** As a replay makes it: it waits from its first attempt, and does not expire. */
        Delivery delivery(Instant now) {
            StoredEvent event = row.event();
            return Delivery.parked(event.schedule(event.schedule().expiresAt(null)), now, false);
        }
    }

    /**
     * Of a lane, what a target is about: settled when the lane was at {@code at}, and not touched after {@code since}.
     */
    Stream<Found> events(Operation.Target target, LaneRow lane, SnapshotCursor at, Instant since) {
        SubscriptionRow subscription = state.subscriptions.get(target.subscription());
        return subscription == null
                ? Stream.of()
                : state.log.lane(lane.lane).values().stream()
                        .filter(row -> target.range().contains(row.event().position())
                                && target.filter().matches(row.event())
                                && MemoryLog.handled(at, row))
                        .flatMap(row -> found(subscription, lane, row, since))
                        .filter(found -> target.states().contains(found.standing()));
    }

    private Stream<Found> found(SubscriptionRow subscription, LaneRow lane, LogRow row, Instant since) {
        Story.Attempt last = last(subscription, row);
        Standing standing = standing(subscription, lane, row, last);
        return standing == null || (last != null && last.at().isAfter(since))
                ? Stream.of()
                : Stream.of(new Found(lane, row, standing));
    }

    /** Whether a subscription would dispatch it by now, rather than skip it again. */
    boolean isTaken(String subscription, StoredEvent event) {
        SubscriptionRow row = state.subscriptions.get(subscription);
        String only = event.headers().get(Headers.ONLY_FOR).orElse(subscription);
        return row != null && only.equals(subscription) && new FilterText(row.filter).takes(event.type());
    }

    private @Nullable Standing standing(
            SubscriptionRow subscription, LaneRow lane, LogRow row, Story.@Nullable Attempt last) {
        Settled settled = Settled.first(lane.settled, row);
        boolean unsettled = settled == null || settled.isStart() || hasRow(subscription, lane, row);
        if (unsettled || (last != null && last.ending() == Story.Ending.DISCARDED)) {
            return null;
        }
        boolean delivered = switch (last == null ? Story.Ending.REPLAYED : last.ending()) {
            case DELIVERED -> true;
            case SKIPPED -> false;
            case RETRYING, LOST, DEAD, EXPIRED, REPLAYED, DISCARDED -> wasTaken(subscription, row);
        };
        return delivered ? Standing.DELIVERED : Standing.SKIPPED;
    }

    /** By the filter that was in force when the lane came past it. */
    private boolean wasTaken(SubscriptionRow subscription, LogRow row) {
        return filters.judged(subscription, row.event()).taken();
    }

    private static boolean hasRow(SubscriptionRow subscription, LaneRow lane, LogRow row) {
        return lane.deliveries.containsKey(row.position())
                || subscription
                        .deadRows()
                        .anyMatch(dead -> dead.event().position().value() == row.position());
    }

    private static Story.@Nullable Attempt last(SubscriptionRow subscription, LogRow row) {
        List<Story.Attempt> attempts = Tried.of(subscription.tried, row.position());
        return attempts.isEmpty() ? null : attempts.get(attempts.size() - 1);
    }

    // ---- replay -----------------------------------------------------------------------------------------------------

    void replay(Found found, @Nullable Long operation, String who) {
        LaneRow lane = found.lane();
        StoredEvent event = found.event();
        lane.replace(new DeliveryRow(found.delivery(state.now()), event));
        lane.mark(event.position(), mark -> mark.replayedBy(operation, false));
        lane.requests++;
        state.tally(lane.subscription, Counts.replayedSettled(found.standing() == Standing.SKIPPED));
        state.decided(lane.subscription, event.position(), Story.Ending.REPLAYED, who);
        if (found.standing() == Standing.DELIVERED) {
            MemoryProcessed.Key processed = new MemoryProcessed.Key(event.id(), lane.subscription);
            state.processed.forget(processed::equals);
        }
    }

    /** One event, if it stands so; otherwise why not. It has no delivery row. */
    Answer replay(String subscription, long position, Standing wanted, String who) {
        SubscriptionRow known = state.subscriptions.get(subscription);
        LogRow row = state.log.row(position);
        if (known == null) {
            return Answer.NO_SUBSCRIPTION;
        } else if (row == null) {
            return Answer.NO_EVENT;
        }
        LaneRow lane = known.lane(row.event().lane());
        Standing standing = standing(known, lane, row, last(known, row));
        if (standing == null) {
            return unsettled(known, lane, row);
        } else if (standing != wanted) {
            return standing == Standing.DELIVERED ? Answer.DELIVERED : Answer.NOT_DELIVERED;
        } else if (!isTaken(subscription, row.event())) {
            return Answer.NOT_TAKEN;
        }
        replay(new Found(lane, row, standing), null, who);
        return Answer.DONE;
    }

    private static Answer unsettled(SubscriptionRow subscription, LaneRow lane, LogRow row) {
        Story.Attempt last = last(subscription, row);
        if (last != null && last.ending() == Story.Ending.DISCARDED) {
            return Answer.DISCARDED;
        }
        return Settled.first(lane.settled, row) == null ? Answer.PENDING : Answer.BEFORE_START;
    }
}
