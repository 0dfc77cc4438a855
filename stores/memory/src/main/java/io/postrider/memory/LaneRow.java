package io.postrider.memory;

import io.postrider.Counts;
import io.postrider.Lane;
import io.postrider.StoredEvent;
import io.postrider.spi.Cursor;
import io.postrider.spi.Delivery;
import io.postrider.spi.Ownership;
import java.time.Instant;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** A lane of a subscription: who holds it, how far it is, and its delivery rows. Guarded by the state. */
final class LaneRow {
    final String subscription;
    final Lane lane;
    final NavigableMap<Long, DeliveryRow> deliveries = new TreeMap<>();

    @Nullable
    String owner;

    /** 0 until it is first claimed. */
    long epoch;

    int takeovers;
    long requests;
    Cursor cursor;
    long settlement;
    Counts counts = Counts.NONE;
    /** How its cursor came to where it is. */
    Settled settled;

    /** A delivery row keeps its event, so that it outlives the log's own copy; a task that runs has a lease. */
    record DeliveryRow(
            Delivery delivery, StoredEvent event, @Nullable Instant leaseUntil) {
        DeliveryRow(Delivery delivery, StoredEvent event) {
            this(delivery, event, null);
        }
    }

    LaneRow(String subscription, Lane lane, Cursor cursor) {
        this.subscription = subscription;
        this.lane = lane;
        this.cursor = cursor;
        this.settled = new Settled(cursor, null, null);
    }

    LaneRow copy() {
        LaneRow copy = new LaneRow(subscription, lane, cursor);
        copy.deliveries.putAll(deliveries);
        copy.owner = owner;
        copy.epoch = epoch;
        copy.takeovers = takeovers;
        copy.requests = requests;
        copy.settlement = settlement;
        copy.counts = counts;
        copy.settled = settled;
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

    List<Delivery> deliveries(Predicate<Delivery> wanted) {
        return deliveries.values().stream()
                .map(DeliveryRow::delivery)
                .filter(wanted)
                .toList();
    }

    void replace(DeliveryRow row) {
        deliveries.put(row.delivery().position().value(), row);
    }
}
