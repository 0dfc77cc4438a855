package io.postrider.memory;

import io.postrider.StoredEvent;
import io.postrider.memory.LaneRow.DeliveryRow;
import io.postrider.operate.Counts;
import io.postrider.operate.DeadEvent;
import io.postrider.operate.Delivery;
import io.postrider.operate.Drop;
import io.postrider.operate.Story;
import io.postrider.policy.Retention;
import io.postrider.store.FilterText;
import io.postrider.store.Retain;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/** Retain: rows that have ended go when their time has come, and leave a record. */
final class MemoryRetain implements Retain {
    private final MemoryState state;
    private final MemoryDeadEvents deadEvents;

    MemoryRetain(MemoryState state) {
        this.state = state;
        this.deadEvents = new MemoryDeadEvents(state);
    }

    @Override
    public Swept sweep(String subscription, Retention retention) {
        synchronized (state) {
            int moved = retention.movesDead() && !isOperatedOn(subscription) ? move(subscription) : 0;
            List<Drop> drops = new ArrayList<>();
            boolean more = drop(subscription, Drop.Reason.DEAD, retention.dead(), drops)
                    | drop(subscription, Drop.Reason.EXPIRED, retention.expired(), drops)
                    | dropDeadEvents(subscription, retention.dead(), drops);
            return new Swept(moved, drops, more || moved == SWEPT_MAX);
        }
    }

    /** What an operation is about stays where it looks for it. */
    private boolean isOperatedOn(String subscription) {
        return state.operations.values().stream()
                .anyMatch(row ->
                        row.goesOn() && row.operation().target().subscription().equals(subscription));
    }

    private int move(String subscription) {
        List<DeliveryRow> dead = old(subscription, Delivery.Status.DEAD, Duration.ZERO);
        dead.forEach(row -> {
            remove(subscription, row);
            deadEvents.take(subscription, row);
        });
        return dead.size();
    }

    /** Whether there may be more of them. */
    private boolean drop(String subscription, Drop.Reason reason, Duration kept, List<Drop> drops) {
        List<DeliveryRow> old = old(subscription, status(reason), kept);
        if (old.isEmpty()) {
            return false;
        }
        old.forEach(row -> remove(subscription, row));
        letGo(subscription, reason, old.stream().map(DeliveryRow::event).toList(), drops);
        return old.size() == SWEPT_MAX;
    }

    private void remove(String subscription, DeliveryRow row) {
        state.lane(subscription, row.event().lane())
                .deliveries
                .remove(row.event().position().value());
    }

    /** Those that were decided about go too, but are counted and on record already. */
    private boolean dropDeadEvents(String subscription, Duration kept, List<Drop> drops) {
        Instant keptFrom = state.now().minus(kept);
        List<DeadEvent> old = deadEvents
                .all(subscription)
                .filter(dead -> !dead.diedAt().isAfter(keptFrom))
                .limit(SWEPT_MAX)
                .toList();
        if (old.isEmpty()) {
            return false;
        }
        deadEvents.remove(subscription, old);
        List<StoredEvent> pending = old.stream()
                .filter(dead -> dead.status() == DeadEvent.Status.PENDING)
                .map(DeadEvent::event)
                .toList();
        if (!pending.isEmpty()) {
            letGo(subscription, Drop.Reason.DEAD, pending, drops);
        }
        return old.size() == SWEPT_MAX;
    }

    private void letGo(String subscription, Drop.Reason reason, List<StoredEvent> events, List<Drop> drops) {
        for (StoredEvent event : events) {
            state.tally(subscription, Counts.discarded(reason == Drop.Reason.EXPIRED));
            state.decided(subscription, event.position(), Story.Ending.DISCARDED, null);
        }
        Drop drop = record(subscription, reason, events);
        state.drops.add(drop);
        drops.add(drop);
    }

    private List<DeliveryRow> old(String subscription, Delivery.Status status, Duration kept) {
        if (status == Delivery.Status.DEAD && staysBlocked(subscription)) {
            return List.of();
        }
        Instant keptFrom = state.now().minus(kept);
        Predicate<DeliveryRow> isOld =
                row -> row.delivery().status() == status && !row.changedAt().isAfter(keptFrom);
        return state.lanesOfSubscription(subscription).stream()
                .flatMap(lane -> lane.deliveries.values().stream())
                .filter(isOld)
                .sorted(Comparator.comparing(DeliveryRow::changedAt))
                .limit(SWEPT_MAX)
                .toList();
    }

    /** Its dead events block their keys until someone decides, whatever the node that sweeps was told. */
    private boolean staysBlocked(String subscription) {
        SubscriptionRow row = state.subscriptions.get(subscription);
        return row != null && new FilterText(row.filter).staysBlocked();
    }

    private static Delivery.Status status(Drop.Reason reason) {
        return reason == Drop.Reason.DEAD ? Delivery.Status.DEAD : Delivery.Status.EXPIRED;
    }

    private Drop record(String subscription, Drop.Reason reason, List<StoredEvent> events) {
        List<StoredEvent> byPosition = events.stream()
                .sorted(Comparator.comparing(StoredEvent::position))
                .toList();
        List<Instant> times =
                events.stream().map(StoredEvent::appendedAt).sorted().toList();
        return new Drop(
                subscription,
                reason,
                events.size(),
                byPosition.get(0).position(),
                byPosition.get(byPosition.size() - 1).position(),
                times.get(0),
                times.get(times.size() - 1),
                state.now());
    }

    @Override
    public boolean forget(Kept kept) {
        synchronized (state) {
            Instant now = state.now();
            int audit = forget(state.audit, entry -> isOver(entry.at(), kept.audit(), now));
            int drops = forget(state.drops, drop -> isOver(drop.at(), kept.drops(), now));
            List<OperationRow> ended = state.operations.values().stream()
                    .filter(row -> {
                        Instant at = row.operation().endedAt();
                        return at != null && isOver(at, kept.operations(), now);
                    })
                    .limit(FORGOTTEN_MAX)
                    .toList();
            ended.forEach(row -> forget(row.operation().id()));
            return Math.max(ended.size(), Math.max(audit, drops)) >= FORGOTTEN_MAX;
        }
    }

    private static boolean isOver(Instant at, Duration kept, Instant now) {
        return Retention.isLimited(kept) && !at.isAfter(now.minus(kept));
    }

    private static <R> int forget(List<R> records, Predicate<R> which) {
        List<R> old = records.stream().filter(which).limit(FORGOTTEN_MAX).toList();
        records.removeAll(old);
        return old.size();
    }

    private void forget(long operation) {
        state.operations.remove(operation);
        state.decided.values().forEach(by -> by.remove(operation));
        state.decided.values().removeIf(Set::isEmpty);
    }

    @Override
    public List<Drop> drops(String subscription, int limit) {
        synchronized (state) {
            List<Drop> latestFirst = new ArrayList<>();
            for (int i = state.drops.size() - 1; i >= 0 && latestFirst.size() < limit; i--) {
                if (state.drops.get(i).subscription().equals(subscription)) {
                    latestFirst.add(state.drops.get(i));
                }
            }
            return latestFirst;
        }
    }
}
