package io.postrider.memory;

import io.postrider.EventId;
import io.postrider.StoredEvent;
import io.postrider.memory.LaneRow.DeliveryRow;
import io.postrider.memory.MemoryState.NodeRow;
import io.postrider.operate.Delivery;
import io.postrider.operate.Story;
import io.postrider.operate.Why;
import io.postrider.store.FilterText;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** What became of an event. Called with the state's monitor. */
final class MemoryStory {
    private final MemoryState state;
    private final MemoryFilters filters;

    MemoryStory(MemoryState state) {
        this.state = state;
        this.filters = new MemoryFilters(state);
    }

    /** The newest event with this id: in the log, or in a row that has outlived it there. */
    Optional<StoredEvent> find(EventId id) {
        Optional<StoredEvent> logged = state.log.rows().descendingMap().values().stream()
                .map(LogRow::event)
                .filter(event -> event.id().equals(id))
                .findFirst();
        return logged.or(() -> state.lanes()
                        .flatMap(lane -> lane.deliveries.values().stream())
                        .map(DeliveryRow::event)
                        .filter(event -> event.id().equals(id))
                        .findFirst())
                .or(() -> state.subscriptions.values().stream()
                        .flatMap(SubscriptionRow::deadRows)
                        .map(DeliveryRow::event)
                        .filter(event -> event.id().equals(id))
                        .findFirst());
    }

    Story tell(StoredEvent event) {
        List<Story.Standing> standings = new ArrayList<>();
        state.subscriptions.keySet().stream().sorted().forEach(name -> {
            SubscriptionRow row = state.subscriptions.get(name);
            if (row != null) {
                List<Story.Attempt> attempts =
                        Tried.of(row.tried, event.position().value());
                standings.add(new Story.Standing(name, why(row, event), attempts));
            }
        });
        return new Story(event, standings);
    }

    Why why(SubscriptionRow row, StoredEvent event) {
        return standing(row, event).whereItIs(row.paused);
    }

    private Why standing(SubscriptionRow row, StoredEvent event) {
        LaneRow lane = row.lane(event.lane());
        DeliveryRow delivery = row.deadRows()
                .filter(dead -> dead.event().position().equals(event.position()))
                .findAny()
                .orElse(lane.deliveries.get(event.position().value()));
        if (delivery != null) {
            Delivery first = comesFirst(row, lane, delivery.delivery(), state.now());
            boolean isTask = delivery.lease() != null;
            return Why.of(delivery.delivery(), first, null, isTask ? null : lane.owner);
        }
        return settledOrNot(row, lane, event);
    }

    private Why settledOrNot(SubscriptionRow row, LaneRow lane, StoredEvent event) {
        for (Story.Attempt last : lastOf(row, event)) {
            if (last.ending() == Story.Ending.DISCARDED) {
                return new Why.Discarded(last.at());
            }
        }
        MemoryFilters.Judged judged = filters.judged(row, event);
        LogRow logged = state.log.row(event.position().value());
        Settled settled = logged == null ? null : Settled.first(lane.settled, logged);
        boolean beforeStart = settled != null && settled.isStart();
        String only = beforeStart ? null : Why.onlyFor(event, lane.subscription).orElse(null);
        if (only != null) {
            return new Why.OnlyFor(only);
        } else if (judged.at() != null || logged == null) {
            return new FilterText(judged.filter()).settled(event, judged.taken(), judged.at());
        } else if (settled == null) {
            return judged.taken() ? unsettled(lane, logged) : new Why.NotMatched(row.filter);
        }
        return beforeStart
                ? new Why.BeforeStart()
                : new FilterText(judged.filter()).settled(event, judged.taken(), settled.at());
    }

    private static List<Story.Attempt> lastOf(SubscriptionRow row, StoredEvent event) {
        List<Story.Attempt> attempts = Tried.of(row.tried, event.position().value());
        return attempts.isEmpty() ? attempts : attempts.subList(attempts.size() - 1, attempts.size());
    }

    private Why unsettled(LaneRow lane, LogRow row) {
        NodeRow node = lane.owner == null ? null : state.nodes.get(lane.owner);
        Instant until = node == null ? null : node.until();
        if (row.position() <= lane.cursor.position()) {
            return new Why.NotYetRead(lane.lane, lane.owner, until);
        }
        long ahead = MemoryLog.pending(state.log.lane(lane.lane), lane.cursor).stream()
                .filter(other -> other.position() < row.position())
                .count();
        return new Why.Behind(lane.lane, ahead, lane.owner, until);
    }

    boolean isPending(SubscriptionRow row, StoredEvent event) {
        LogRow logged = state.log.row(event.position().value());
        return logged != null && !MemoryLog.handled(row.lane(event.lane()).cursor, logged);
    }

    /** An earlier row of its key that waits; or, if it was never tried and is due, one that is dead. */
    static @Nullable Delivery comesFirst(SubscriptionRow subscription, LaneRow lane, Delivery row, Instant now) {
        Delivery waits = earlier(lane, row, other -> other.waits() && other.status() != Delivery.Status.READY);
        Delivery next = waits != null ? waits : row;
        boolean untried = next.status() == Delivery.Status.WAITING
                && !next.wasTried()
                && !next.dueAt().isAfter(now);
        boolean blockable = untried && new FilterText(subscription.filter).staysBlocked();
        Delivery dead = blockable ? earlier(lane, next, other -> blocksItsKey(lane, other)) : null;
        return dead != null ? dead : waits;
    }

    private static boolean blocksItsKey(LaneRow lane, Delivery row) {
        return row.status() == Delivery.Status.DEAD
                && !lane.mark(row.position()).released();
    }

    private static @Nullable Delivery earlier(LaneRow lane, Delivery row, Predicate<Delivery> wanted) {
        return row.key() == null
                ? null
                : lane.deliveries.headMap(row.position().value(), false).values().stream()
                        .map(DeliveryRow::delivery)
                        .filter(other -> row.key().equals(other.key()) && wanted.test(other))
                        .findFirst()
                        .orElse(null);
    }
}
