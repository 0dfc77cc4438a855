package io.postrider.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.EventId;
import io.postrider.Headers;
import io.postrider.Lane;
import io.postrider.Position;
import io.postrider.StoredEvent;
import io.postrider.operate.Audit;
import io.postrider.operate.Counts;
import io.postrider.operate.Delivery;
import io.postrider.operate.Operation;
import io.postrider.operate.Operation.Kind;
import io.postrider.operate.Operation.Pace;
import io.postrider.operate.Operation.Target;
import io.postrider.policy.Start;
import io.postrider.store.Append;
import io.postrider.store.Chunks;
import io.postrider.store.Claim;
import io.postrider.store.Renew;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;

/** What the tests of replays have in common. */
abstract class ReplayCase<T> extends StoreCase<T> {
    static final String NARROW = "letter.*";
    static final String WIDE = "letter.* parcel.*";
    static final String PARCEL = "parcel.sent";
    static final Target DELIVERED = Target.delivered(SUBSCRIPTION);
    static final Target SKIPPED = Target.skipped(SUBSCRIPTION);

    final void append(Append.Entry... entries) {
        T transaction = fixture.begin();
        store.append().append(transaction, List.of(entries));
        fixture.commit(transaction);
    }

    final List<StoredEvent> delivered(String key, int count) {
        committed(key, numbered("n", count));
        return settleAll();
    }

    /** Everything there is, settled as delivered. */
    final List<StoredEvent> settleAll() {
        register();
        List<StoredEvent> all = new ArrayList<>();
        for (LaneReader reader : readers(NODE, SUBSCRIPTION)) {
            List<StoredEvent> events = reader.drain(100);
            assertThat(reader.settle(events.size())).isTrue();
            all.addAll(events);
        }
        all.sort(Comparator.comparing(StoredEvent::position));
        return all;
    }

    /** A letter that was delivered, and beside it a parcel and a card that the filter did not take. */
    final List<StoredEvent> skipped() {
        append(
                entry("ann", "letter"),
                new Append.Entry(drawId(), PARCEL, "ann", "2", Headers.NONE, null),
                new Append.Entry(drawId(), "card.sent", "ann", "3", Headers.NONE, null));
        store.subscriptions().register(SUBSCRIPTION, Start.beginning(), NARROW);
        LaneReader reader = claimWith(NARROW, Lane.of("ann", drawId(), Lane.COUNT_DEFAULT));
        List<StoredEvent> events = reader.drain(100);
        assertThat(reader.settle(new Counts(1, 2, 0, 0, 0, 0), List.of(), List.of()))
                .isTrue();
        return events;
    }

    final LaneReader claimWith(String filter, Lane lane) {
        renew(NODE, LONG_LEASE);
        List<Claim.ClaimedLane> claimed =
                store.claim().claim(claimant(NODE, SUBSCRIPTION, filter), List.of(), Lane.COUNT_DEFAULT);
        return claimed.stream()
                .filter(one -> one.ownership().lane().equals(lane))
                .map(one -> new LaneReader(store, one))
                .findFirst()
                .orElseThrow();
    }

    final long count(Target target) {
        return store.operations().preview(target, 0).count();
    }

    final Operation start(Target target) {
        return store.operations().start(Kind.REPLAY, target, Pace.UNLIMITED, BY).orElseThrow();
    }

    final Chunks.HeldOperation take() {
        return store.chunks().take(NODE, Set.of(), LONG_LEASE, 10).get(0);
    }

    static Chunks.Room room(int most) {
        return new Chunks.Room(most, 1_000);
    }

    final Chunks.Moved move(Chunks.HeldOperation held, int most) {
        return store.chunks().move(held, room(most), LONG_LEASE).orElseThrow();
    }

    final Chunks.Moved moveWithin(Chunks.HeldOperation held, int perLane) {
        return store.chunks()
                .move(held, new Chunks.Room(10, perLane), LONG_LEASE)
                .orElseThrow();
    }

    final List<EventId> waiting() {
        return store.browse().deliveries(SUBSCRIPTION, Delivery.Status.WAITING, Position.ZERO, 100).stream()
                .map(Delivery::id)
                .toList();
    }

    final List<Audit.Entry> entries() {
        return store.audit().entries(Audit.Query.ALL, Long.MAX_VALUE, 100);
    }

    final long requests(Lane lane) {
        return store.renew().renew(NODE, LONG_LEASE, Set.of(SUBSCRIPTION)).held().stream()
                .filter(held -> held.ownership().lane().equals(lane))
                .mapToLong(Renew.HeldLane::requests)
                .findFirst()
                .orElseThrow();
    }

    final boolean first(EventId event) {
        T transaction = fixture.begin();
        boolean first = store.processed().first(transaction, event, SUBSCRIPTION);
        fixture.commit(transaction);
        return first;
    }
}
