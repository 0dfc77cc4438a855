package io.postrider.memory;

import io.postrider.Lane;
import io.postrider.Position;
import io.postrider.StoredEvent;
import io.postrider.operate.Counts;
import io.postrider.operate.DeadEvent;
import io.postrider.operate.Delivery;
import io.postrider.store.Ownership;
import io.postrider.store.Seals;
import io.postrider.store.snapshot.SnapshotCursor;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** A lane of a subscription: who holds it, how far it is, and its delivery rows. Guarded by the state. */
final class LaneRow {
    final String subscription;
    final Lane lane;
    final NavigableMap<Long, DeliveryRow> deliveries = new TreeMap<>();
    private final Map<Long, Mark> marks = new HashMap<>();

    /** By the number of the settlement. */
    final NavigableMap<Long, MemorySeals.Sealed> seals = new TreeMap<>();

    final List<Seals.Lost> lost = new ArrayList<>();
    long lostNumber;

    @Nullable
    String owner;

    /** 0 until it is first claimed. */
    long epoch;

    int takeovers;
    long requests;
    SnapshotCursor cursor;
    long settlement;
    Counts counts = Counts.NONE;
    /** How its cursor came to where it is. */
    Settled settled;
    /** Filters that were changed, in the order of their changes. */
    final List<PastFilter> pastFilters = new ArrayList<>();

    private final InstantSource clock;

    /** A filter that was changed, and how far the lane had come under it. */
    record PastFilter(String filter, SnapshotCursor cursor, Instant changedAt) {}

    /** Who runs a task under which claim, and until when if nobody renews it. */
    record TaskLease(String owner, long claim, Instant until) {}

    /** A delivery row keeps its event, so that it outlives the log's own copy; a task that runs has a lease. */
    record DeliveryRow(
            Delivery delivery, StoredEvent event, @Nullable TaskLease lease, Instant changedAt) {
        DeliveryRow(Delivery delivery, StoredEvent event) {
            this(delivery, event, null);
        }

        /** When it was changed is noted when it is put in its place. */
        DeliveryRow(Delivery delivery, StoredEvent event, @Nullable TaskLease lease) {
            this(delivery, event, lease, Instant.MAX);
        }

        private DeliveryRow changedAt(Instant now) {
            return new DeliveryRow(delivery, event, lease, now);
        }
    }

    LaneRow(String subscription, Lane lane, SnapshotCursor cursor, InstantSource clock) {
        this.subscription = subscription;
        this.lane = lane;
        this.cursor = cursor;
        this.clock = clock;
        this.settled = new Settled(cursor, null, null);
    }

    LaneRow copy() {
        LaneRow copy = new LaneRow(subscription, lane, cursor, clock);
        copy.deliveries.putAll(deliveries);
        copy.marks.putAll(marks);
        copy.seals.putAll(seals);
        copy.lost.addAll(lost);
        copy.lostNumber = lostNumber;
        copy.owner = owner;
        copy.epoch = epoch;
        copy.takeovers = takeovers;
        copy.requests = requests;
        copy.settlement = settlement;
        copy.counts = counts;
        copy.settled = settled;
        copy.pastFilters.addAll(pastFilters);
        return copy;
    }

    Ownership ownership(String incarnation) {
        return new Ownership(subscription, lane, epoch, incarnation);
    }

    boolean wasHandedBack() {
        return owner == null && epoch > 0;
    }

    void handBack() {
        owner = null;
    }

    /** From whoever has it. */
    void takeAway(long nextEpoch) {
        owner = null;
        epoch = nextEpoch;
    }

    List<Delivery> deliveries(Predicate<Delivery> wanted) {
        return deliveries.values().stream()
                .map(DeliveryRow::delivery)
                .filter(wanted)
                .toList();
    }

    void replace(DeliveryRow row) {
        deliveries.put(row.delivery().position().value(), row.changedAt(clock.instant()));
        mark(row.delivery().position(), mark -> mark.changed(clock.instant()));
    }

    /** As it was when it died. */
    void restore(DeadEvent dead) {
        Delivery row = Delivery.of(dead);
        deliveries.put(row.position().value(), new DeliveryRow(row, dead.event(), null, dead.diedAt()));
        mark(row.position(), mark -> mark.changed(dead.diedAt()));
    }

    void remove(Position position) {
        deliveries.remove(position.value());
        marks.remove(position.value());
    }

    Mark mark(Position position) {
        return marks.getOrDefault(position.value(), Mark.at(Instant.EPOCH));
    }

    void mark(Position position, UnaryOperator<Mark> change) {
        marks.put(position.value(), change.apply(mark(position)));
    }
}
