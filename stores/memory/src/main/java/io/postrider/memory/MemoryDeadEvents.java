package io.postrider.memory;

import io.postrider.Position;
import io.postrider.memory.LaneRow.DeliveryRow;
import io.postrider.operate.By;
import io.postrider.operate.Counts;
import io.postrider.operate.DeadEvent;
import io.postrider.operate.DeadEvents;
import io.postrider.operate.Delivery;
import io.postrider.operate.Story;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** Dead events beside the lanes: each death an entry, with what became of it. */
final class MemoryDeadEvents implements DeadEvents {
    private final MemoryState state;

    MemoryDeadEvents(MemoryState state) {
        this.state = state;
    }

    @Override
    public List<DeadEvent> list(String subscription, DeadEvent.Status status, Position after, int limit) {
        synchronized (state) {
            return state.known(subscription).deadEvents.stream()
                    .filter(dead -> dead.status() == status)
                    .filter(dead -> dead.event().position().compareTo(after) > 0)
                    .sorted(Comparator.comparing(dead -> dead.event().position()))
                    .limit(limit)
                    .toList();
        }
    }

    /** Those that nobody has decided about, as rows. */
    Stream<Delivery> pending(String subscription) {
        return all(subscription)
                .filter(dead -> dead.status() == DeadEvent.Status.PENDING)
                .map(Delivery::of);
    }

    /** Takes a dead row over. */
    void take(String subscription, DeliveryRow row) {
        Delivery dead = row.delivery();
        of(subscription)
                .add(new DeadEvent(
                        subscription,
                        row.event(),
                        dead.attempt(),
                        dead.error(),
                        row.changedAt(),
                        DeadEvent.Status.PENDING,
                        null,
                        null,
                        null));
    }

    void remove(String subscription, List<DeadEvent> gone) {
        of(subscription).removeAll(gone);
    }

    Stream<DeadEvent> all(String subscription) {
        SubscriptionRow row = state.subscriptions.get(subscription);
        return row == null ? Stream.empty() : row.deadEvents.stream();
    }

    private List<DeadEvent> of(String subscription) {
        SubscriptionRow row = state.subscriptions.get(subscription);
        if (row == null) {
            throw new IllegalStateException("subscription '" + subscription + "' is gone");
        }
        return row.deadEvents;
    }

    /** The row it was, put back and replayed; empty if it is not here, or was decided about. */
    Optional<Delivery> replay(String subscription, Position position, By by) {
        synchronized (state) {
            Optional<DeadEvent> found = find(subscription, position);
            found.ifPresent(dead -> {
                Instant now = state.now();
                LaneRow lane = state.lane(subscription, dead.event().lane());
                lane.replace(new DeliveryRow(Delivery.of(dead).replayed(now), dead.event()));
                lane.requests++;
                state.tally(subscription, Counts.replayed(false));
                state.decided(subscription, position, Story.Ending.REPLAYED, by.who());
                of(subscription).replaceAll(each -> each == dead ? dead.replayed(now, by) : each);
            });
            return found.map(Delivery::of);
        }
    }

    /** The row it was; empty if it is not here, or was decided about. */
    Optional<Delivery> discard(String subscription, Position position, By by) {
        synchronized (state) {
            Optional<DeadEvent> found = find(subscription, position);
            found.ifPresent(dead -> {
                state.tally(subscription, Counts.discarded(false));
                state.decided(subscription, position, Story.Ending.DISCARDED, by.who());
                of(subscription).replaceAll(each -> each == dead ? dead.discarded(by) : each);
            });
            return found.map(Delivery::of);
        }
    }

    /** Puts those back into their lanes that nobody has decided about, as they were. */
    void restore(String subscription, Predicate<DeadEvent> which) {
        List<DeadEvent> back = all(subscription)
                .filter(dead -> dead.status() == DeadEvent.Status.PENDING && which.test(dead))
                .toList();
        if (!back.isEmpty()) {
            remove(subscription, back);
            back.forEach(dead -> state.lane(subscription, dead.event().lane()).restore(dead));
        }
    }

    private Optional<DeadEvent> find(String subscription, Position position) {
        return all(subscription)
                .filter(dead -> dead.status() == DeadEvent.Status.PENDING)
                .filter(dead -> dead.event().position().equals(position))
                .findFirst();
    }
}
