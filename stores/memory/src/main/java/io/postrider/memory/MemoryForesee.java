package io.postrider.memory;

import io.postrider.StoredEvent;
import io.postrider.operate.Counts;
import io.postrider.operate.Delivery;
import io.postrider.operate.Why;
import io.postrider.store.FilterText;
import io.postrider.store.Foresee;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/** Foresee: memory is cheap to look at, so it looks at everything. */
final class MemoryForesee implements Foresee {
    private final MemoryState state;

    MemoryForesee(MemoryState state) {
        this.state = state;
    }

    @Override
    public Outlook events(String subscription) {
        synchronized (state) {
            return new Outlook(
                    counts(subscription),
                    state.lanesOfSubscription(subscription).stream()
                            .flatMap(this::unread)
                            .toList());
        }
    }

    private Stream<Waiting> unread(LaneRow lane) {
        long reached = lane.cursor.position();
        return MemoryLog.fresh(state.log.lane(lane.lane), lane.cursor).stream()
                .filter(row -> isTaken(lane.subscription, row.event()))
                .flatMap(row -> Stream.ofNullable(row.event().schedule().expiresAt())
                        .filter(expiresAt -> expiresAt.isAfter(row.event().appendedAt()))
                        .map(expiresAt -> new Waiting(row.position() - reached, expiresAt)));
    }

    private boolean isTaken(String subscription, StoredEvent event) {
        SubscriptionRow row = state.subscriptions.get(subscription);
        return row != null
                && new FilterText(row.filter).takes(event.type())
                && Why.onlyFor(event, subscription).isEmpty();
    }

    @Override
    public Outlook tasks(String subscription) {
        synchronized (state) {
            List<Instant> expiries = state.lanesOfSubscription(subscription).stream()
                    .flatMap(lane ->
                            lane.deliveries(row -> row.waits() && row.status() != Delivery.Status.RUNNING).stream())
                    .map(row -> row.schedule().expiresAt())
                    .filter(Objects::nonNull)
                    .sorted()
                    .toList();
            List<Waiting> waiting = new ArrayList<>();
            expiries.forEach(expiresAt -> waiting.add(new Waiting(waiting.size() + 1, expiresAt)));
            return new Outlook(counts(subscription), waiting);
        }
    }

    private Counts counts(String subscription) {
        return new MemoryBrowse(state).progress(subscription).counts();
    }
}
