package io.postrider.memory;

import io.postrider.policy.Start;
import io.postrider.store.Subscriptions;
import io.postrider.store.snapshot.SnapshotCursor;
import io.postrider.text.Printable;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** The named readers, and where a new one begins. */
final class MemorySubscriptions implements Subscriptions {
    private final MemoryState state;
    private final MemoryFilters filters;

    MemorySubscriptions(MemoryState state) {
        this.state = state;
        this.filters = new MemoryFilters(state);
    }

    @Override
    public Registered register(String subscription, Start start, String filter, String node) {
        Printable.requireName("a subscription", subscription);
        synchronized (state) {
            SubscriptionRow known = state.subscriptions.get(subscription);
            if (known != null) {
                return filters.register(subscription, known, filter, node);
            }
            SnapshotCursor cursor = cursor(start);
            state.subscriptions.put(
                    subscription, new SubscriptionRow(subscription, cursor, filter, state::now, state.lanes));
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

    private SnapshotCursor cursor(Start start) {
        if (start instanceof Start.After after) {
            return after(after.position().value());
        } else if (start instanceof Start.At at) {
            return at(at.time());
        } else if (start instanceof Start.End) {
            return end();
        }
        return SnapshotCursor.after(0);
    }

    private SnapshotCursor after(long position) {
        if (position > state.log.head()) {
            throw new IllegalArgumentException(
                    "the log has no position " + position + " yet, its highest is " + state.log.head());
        }
        return SnapshotCursor.after(position);
    }

    private SnapshotCursor at(Instant time) {
        return state.log.rows().values().stream()
                .filter(row -> !row.event().appendedAt().isBefore(time))
                .findFirst()
                .map(row -> SnapshotCursor.after(row.position() - 1))
                .orElseGet(this::end);
    }

    private SnapshotCursor end() {
        return SnapshotCursor.notIn(state.log.snapshot(), state.log.head(), state.log.bound());
    }
}
