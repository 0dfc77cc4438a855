package io.postrider.memory;

import io.postrider.EventId;
import io.postrider.store.FilterText;
import io.postrider.store.Processed;
import java.time.Duration;

/** Processed: a record appears when its transaction commits; until then, others wait a moment for that. */
final class MemoryProcessed implements Processed<MemoryTransaction> {
    private final MemoryState state;

    /** An event that a handler has processed. */
    record Key(EventId event, String handler) {}

    MemoryProcessed(MemoryState state) {
        this.state = state;
    }

    @Override
    public boolean first(MemoryTransaction transaction, EventId event, String handler) {
        synchronized (state) {
            return state.processed.first(transaction, new Key(event, handler), WAIT);
        }
    }

    @Override
    public Recorded record(MemoryTransaction transaction, EventId event, String subscription) {
        synchronized (state) {
            SubscriptionRow row = state.subscriptions.get(subscription);
            if (row != null && new FilterText(row.filter).settlesWithEffect()) {
                return Recorded.OTHER_FORM;
            }
            return state.processed.first(transaction, new Key(event, subscription), WAIT)
                    ? Recorded.FIRST
                    : Recorded.REPEATED;
        }
    }

    @Override
    public boolean forget(Duration age) {
        synchronized (state) {
            return state.processed.forget(state.now().minus(age), key -> !mayComeAgain(key));
        }
    }

    private boolean mayComeAgain(Key key) {
        return state.unsettled(key.handler(), key.event());
    }
}
