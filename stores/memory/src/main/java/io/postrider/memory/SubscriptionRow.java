package io.postrider.memory;

import io.postrider.Lane;
import io.postrider.memory.LaneRow.DeliveryRow;
import io.postrider.operate.Counts;
import io.postrider.operate.DeadEvent;
import io.postrider.operate.Delivery;
import io.postrider.operate.Story;
import io.postrider.store.snapshot.SnapshotCursor;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A subscription with its lanes. Guarded by the state. */
final class SubscriptionRow {
    final List<LaneRow> lanes;
    String filter;
    /** When a node was last known to have the filter, beside those that have a lease. */
    Instant filterAt;
    /** The filter before this one. */
    @Nullable
    String filterBefore;
    /** When the form of effects changed, by {@code FilterText.WITH_EFFECT}; null if it never did. */
    @Nullable
    Instant formAt;
    /** Dead events that are kept apart, in the order of their deaths. */
    final List<DeadEvent> deadEvents = new ArrayList<>();
    /** What was decided outside of its lanes. */
    Counts tally = Counts.NONE;
    /** Nothing of it is to be dispatched. */
    boolean paused;
    /** When its dead events were last replayed by schedule. */
    @Nullable
    Instant reprocessedAt;

    @Nullable
    Tried tried;

    SubscriptionRow(String name, SnapshotCursor start, String filter, InstantSource clock, int lanes) {
        this.filter = filter;
        this.filterAt = clock.instant();
        this.lanes = IntStream.range(0, lanes)
                .mapToObj(number -> new LaneRow(name, new Lane(number), start, clock))
                .toList();
    }

    private SubscriptionRow(List<LaneRow> lanes, SubscriptionRow original) {
        this.filter = original.filter;
        this.filterAt = original.filterAt;
        this.filterBefore = original.filterBefore;
        this.formAt = original.formAt;
        this.lanes = lanes;
    }

    SubscriptionRow copy() {
        SubscriptionRow copy =
                new SubscriptionRow(lanes.stream().map(LaneRow::copy).toList(), this);
        copy.tally = tally;
        copy.paused = paused;
        copy.reprocessedAt = reprocessedAt;
        copy.deadEvents.addAll(deadEvents);
        copy.tried = tried;
        return copy;
    }

    void tried(long position, Story.Attempt attempt) {
        tried = new Tried(position, attempt, tried);
    }

    /** Those that are kept apart and that nobody has decided about, as rows. */
    Stream<DeliveryRow> deadRows() {
        return deadEvents.stream()
                .filter(dead -> dead.status() == DeadEvent.Status.PENDING)
                .map(dead -> new DeliveryRow(Delivery.of(dead), dead.event()));
    }

    LaneRow lane(Lane lane) {
        return lanes.get(lane.number());
    }
}
