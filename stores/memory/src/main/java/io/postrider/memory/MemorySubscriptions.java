package io.postrider.memory;

import io.postrider.operate.Audit;
import io.postrider.operate.By;
import io.postrider.operate.Delivery;
import io.postrider.operate.Removal;
import io.postrider.policy.Start;
import io.postrider.store.Cursor;
import io.postrider.store.Subscriptions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** The named readers, and where a new one begins. */
final class MemorySubscriptions implements Subscriptions {
    private final MemoryState state;
    private final MemoryFilters filters;
    private final MemoryAudit audit;
    private final MemoryBrowse browse;
    private final MemoryOperations operations;

    MemorySubscriptions(MemoryState state, MemoryAudit audit, MemoryBrowse browse, MemoryOperations operations) {
        this.state = state;
        this.operations = operations;
        this.audit = audit;
        this.browse = browse;
        this.filters = new MemoryFilters(state);
    }

    @Override
    public Registered register(String subscription, Start start, String filter, String node) {
        Subscriptions.requireName("a subscription", subscription);
        synchronized (state) {
            SubscriptionRow known = state.subscriptions.get(subscription);
            if (known != null) {
                return filters.register(subscription, known, filter, node);
            }
            Cursor cursor = cursor(start);
            state.subscriptions.put(subscription, new SubscriptionRow(subscription, cursor, filter, state::now));
            return new Registered(
                    true, MemoryLog.pending(state.log.rows(), cursor).size(), null, List.of());
        }
    }

    @Override
    public Optional<String> takeBack(String subscription, String filter, Duration unheld, String node) {
        synchronized (state) {
            return filters.takeBack(subscription, filter, unheld, node);
        }
    }

    @Override
    public Removed remove(String subscription, By by, Removal removal) {
        synchronized (state) {
            SubscriptionRow row = state.subscriptions.get(subscription);
            if (row == null) {
                return Removed.NONE;
            }
            Removed removed = removed(subscription, row, removal);
            if (removed.done()) {
                state.processed.forget(record -> record.handler().equals(subscription));
                operations.failAll(subscription, "its subscription was removed");
                state.subscriptions.remove(subscription);
                audit.note(by, Audit.Action.REMOVE, subscription, removed.details());
            }
            return removed;
        }
    }

    private Removed removed(String subscription, SubscriptionRow row, Removal removal) {
        List<Delivery> rows = Stream.concat(
                        row.lanes.stream().flatMap(lane -> lane.deliveries.values().stream()), row.deadRows())
                .map(LaneRow.DeliveryRow::delivery)
                .toList();
        long dead = count(rows, each -> each.status() == Delivery.Status.DEAD);
        long expired = count(rows, each -> each.status() == Delivery.Status.EXPIRED);
        boolean done = rows.isEmpty() || removal == Removal.DROPPING;
        long pending = browse.ledger(subscription).pending();
        return new Removed(true, done, dead, expired, rows.size() - dead - expired, pending);
    }

    private static long count(List<Delivery> rows, Predicate<Delivery> which) {
        return rows.stream().filter(which).count();
    }

    @Override
    public List<String> list() {
        synchronized (state) {
            return List.copyOf(state.subscriptions.keySet());
        }
    }

    private Cursor cursor(Start start) {
        if (start instanceof Start.After after) {
            return after(after.position().value());
        } else if (start instanceof Start.At at) {
            return at(at.time());
        } else if (start instanceof Start.End) {
            return end();
        }
        return Cursor.after(0);
    }

    private Cursor after(long position) {
        if (position > state.log.head()) {
            throw new IllegalArgumentException(
                    "the log has no position " + position + " yet, its highest is " + state.log.head());
        }
        return Cursor.after(position);
    }

    private Cursor at(Instant time) {
        return state.log.rows().values().stream()
                .filter(row -> !row.event().appendedAt().isBefore(time))
                .findFirst()
                .map(row -> Cursor.after(row.position() - 1))
                .orElseGet(this::end);
    }

    private Cursor end() {
        return Cursor.notIn(state.log.snapshot(), state.log.head(), state.log.bound());
    }
}
