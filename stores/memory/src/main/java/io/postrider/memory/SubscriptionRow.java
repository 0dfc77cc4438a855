package io.postrider.memory;

import io.postrider.Counts;
import io.postrider.Lane;
import io.postrider.spi.Cursor;
import java.util.List;
import java.util.stream.IntStream;

/** A subscription with its lanes. Guarded by the state. */
final class SubscriptionRow {
    final List<LaneRow> lanes;
    String filter;
    /** What was decided outside of its lanes. */
    Counts tally = Counts.NONE;

    SubscriptionRow(String name, Cursor start, String filter) {
        this.filter = filter;
        this.lanes = IntStream.range(0, Lane.COUNT)
                .mapToObj(number -> new LaneRow(name, new Lane(number), start))
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
        return copy;
    }

    LaneRow lane(Lane lane) {
        return lanes.get(lane.number());
    }
}
