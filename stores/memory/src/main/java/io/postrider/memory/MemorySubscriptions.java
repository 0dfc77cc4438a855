package io.postrider.memory;

import io.postrider.Start;
import io.postrider.spi.Cursor;
import io.postrider.spi.Subscriptions;
import java.time.Instant;
import java.util.List;

/** The named readers, and where a new one begins. */
final class MemorySubscriptions implements Subscriptions {
    private final MemoryState state;

    MemorySubscriptions(MemoryState state) {
        this.state = state;
    }

    @Override
    public void register(String subscription, Start start, String filter) {
        synchronized (state) {
            SubscriptionRow known = state.subscriptions.get(subscription);
            if (known != null) {
                known.filter = filter;
            } else {
                state.subscriptions.put(
                        subscription, new SubscriptionRow(subscription, cursor(start), filter, state::now));
            }
        }
    }

    @Override
    public boolean remove(String subscription) {
        synchronized (state) {
            state.processed.forget(record -> record.handler().equals(subscription));
            return state.subscriptions.remove(subscription) != null;
        }
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
