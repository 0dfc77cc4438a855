package io.postrider.memory;

import io.postrider.Counts;
import io.postrider.Lane;
import io.postrider.spi.Cursor;
import io.postrider.spi.Story;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** A subscription with its lanes. Guarded by the state. */
final class SubscriptionRow {
    final List<LaneRow> lanes;
    String filter;
    /** What was decided outside of its lanes. */
    Counts tally = Counts.NONE;

    @Nullable
    Tried tried;

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
        copy.tried = tried;
        return copy;
    }

    void tried(long position, Story.Attempt attempt) {
        tried = new Tried(position, attempt, tried);
    }

    LaneRow lane(Lane lane) {
        return lanes.get(lane.number());
    }
}
