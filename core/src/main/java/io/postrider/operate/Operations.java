package io.postrider.operate;

import io.postrider.store.Chunks;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Decisions about many events at once. What is started is on record and carried out by the nodes, see {@link Chunks};
 * the set is what stands as the target says when it starts.
 */
public interface Operations {

    /**
     * How many events it would be about, exactly, and the first of them by position. Nothing is written. Of skipped and
     * delivered events, every one in the range is looked at, and the sample shows the rows that a replay would make.
     * Events that a lane has skipped and not settled yet are not among them.
     *
     * @throws IllegalArgumentException if there is no such subscription, with those that there are
     */
    Preview preview(Operation.Target target, int sample);

    /**
     * Starts one; empty if its subscription is removed at the same time.
     *
     * @throws IllegalArgumentException if there is no such subscription, with those that there are, or if skipped or
     *     delivered events are to be discarded
     */
    Optional<Operation> start(Operation.Kind kind, Operation.Target target, Operation.Pace pace, By by);

    /**
     * Stops one within a chunk; what is done stays done.
     *
     * @return {@link Operate.Answer#NO_OPERATION} if there is none with this id, {@link Operate.Answer#NOTHING} if it
     *     has ended
     */
    Operate.Answer cancel(long operation, By by);

    Optional<Operation> find(long operation);

    /** Those before this id, newest first; of one subscription, or of all. */
    List<Operation> list(@Nullable String subscription, long before, int limit);

    /**
     * What an operation would be about.
     *
     * @param sample delivery rows as they are; of skipped and delivered events, which have none, the rows that a replay
     *     would make: waiting, without an attempt, an error or an expiry
     * @param leftOut what is not in the count although it is in the range, a sentence each
     */
    record Preview(long count, List<Delivery> sample, List<String> leftOut) {
        public Preview {
            sample = List.copyOf(sample);
            leftOut = List.copyOf(leftOut);
        }
    }

    /** Of one event. */
    String ONE_NOT_TAKEN = "1 event is left out: the subscription's filter does not take it";

    /** Behind the number of events. */
    String SOME_NOT_TAKEN = " events are left out: the subscription's filter does not take them";

    /** What is said of skipped events that would only be skipped again. */
    static String notTaken(long events) {
        return events == 1 ? ONE_NOT_TAKEN : events + SOME_NOT_TAKEN;
    }

    /** What is said of positions that were pruned. */
    static String pruned(long first) {
        return "events below position " + first + " are left out: they are in the log no more";
    }
}
