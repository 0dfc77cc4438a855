package io.postrider.memory;

import io.postrider.Counts;
import io.postrider.DeadEvent;
import io.postrider.Lane;
import io.postrider.spi.Cursor;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** A subscription with its lanes. Guarded by the state. */
final class SubscriptionRow {
    final List<LaneRow> lanes;
    String filter;
    /** Dead events that are kept apart, in the order of their deaths. */
    final List<DeadEvent> deadEvents = new ArrayList<>();
    /** What was decided outside of its lanes. */
    Counts tally = Counts.NONE;
    /** Nothing of it is to be dispatched. */
    boolean paused;
    /** When its dead events were last replayed by schedule. */
    @Nullable
    Instant reprocessedAt;

    SubscriptionRow(String name, Cursor start, String filter, InstantSource clock) {
        this.filter = filter;
        this.lanes = IntStream.range(0, Lane.COUNT)
                .mapToObj(number -> new LaneRow(name, new Lane(number), start, clock))
                .toList();
    }

    private SubscriptionRow(List<LaneRow> lanes, String filter) {
        this.filter = filter;
        this.lanes = lanes;
    }

    SubscriptionRow copy() {
        SubscriptionRow copy =
                new SubscriptionRow(lanes.stream().map(LaneRow::copy).toList(), filter);
        copy.tally = tally;
        copy.paused = paused;
        copy.reprocessedAt = reprocessedAt;
        copy.deadEvents.addAll(deadEvents);
        return copy;
    }

    LaneRow lane(Lane lane) {
        return lanes.get(lane.number());
    }
}
