package io.postrider.memory;

import io.postrider.operate.Audit;
import io.postrider.operate.By;
import io.postrider.operate.Delivery;
import io.postrider.operate.Removal;
import io.postrider.operate.Removed;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** Removes subscriptions. */
final class MemoryRemove {
    private final MemoryState state;
    private final MemoryAudit audit;
    private final MemoryBrowse browse;
    private final MemoryOperations operations;

    MemoryRemove(MemoryState state, MemoryAudit audit, MemoryBrowse browse, MemoryOperations operations) {
        this.state = state;
        this.audit = audit;
        this.browse = browse;
        this.operations = operations;
    }

    Removed remove(String subscription, By by, Removal removal) {
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
}
