package io.postrider.policy;

import io.postrider.EventFilter;
import java.time.Duration;

/**
 * Replays a subscription's dead events by schedule, each event a limited number of times.
 *
 * @param every the pause between two replays, whichever node makes them
 * @param times how often an event is replayed this way at most
 * @param filter which events
 * @param perSecond how many events per second; 0 for as many as it can
 */
public record Reprocess(Duration every, int times, EventFilter filter, int perSecond) {

    public Reprocess {
        if (every.isNegative() || every.isZero()) {
            throw new IllegalArgumentException("a reprocessor runs once in a positive time, got " + every);
        }
        if (times < 1) {
            throw new IllegalArgumentException("a reprocessor replays an event at least once, got " + times);
        }
        if (perSecond < 0) {
            throw new IllegalArgumentException("perSecond is not negative, got " + perSecond);
        }
    }

    /** Every dead event, three times at most. */
    public static Reprocess every(Duration every) {
        return new Reprocess(every, 3, EventFilter.ALL, 0);
    }

    public Reprocess atMost(int times) {
        return new Reprocess(every, times, filter, perSecond);
    }

    public Reprocess of(EventFilter filter) {
        return new Reprocess(every, times, filter, perSecond);
    }

    public Reprocess perSecond(int perSecond) {
        return new Reprocess(every, times, filter, perSecond);
    }
}
