package io.postrider.spi;

import io.postrider.By;
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
     * delivered events, every one in the range is looked at.
     */
    Preview preview(Operation.Target target, int sample);

    /**
     * Starts one; empty if its subscription is removed at the same time.
     *
     * @throws IllegalArgumentException if there is no such subscription, with those that there are, or if skipped or
     *     delivered events are to be discarded
     */
    Optional<Operation> start(Operation.Kind kind, Operation.Target target, Operation.Pace pace, By by);

    /** Stops one within a chunk; what is done stays done. */
    Operate.Answer cancel(long operation, By by);

    Optional<Operation> find(long operation);

    /** Those before this id, newest first; of one subscription, or of all. */
    List<Operation> list(@Nullable String subscription, long before, int limit);

    /**
     * What an operation would be about.
     *
     * @param sample delivery rows; of skipped and delivered events, those that a replay would make
     * @param leftOut what is not in the count although it is in the range, a sentence each
     */
    record Preview(long count, List<Delivery> sample, List<String> leftOut) {
        public Preview {
            sample = List.copyOf(sample);
            leftOut = List.copyOf(leftOut);
        }
    }

    /** What is said of skipped events that would only be skipped again. */
    static String notTaken(long events) {
        return events + " events are left out: the subscription's filter does not take them";
    }

    /** What is said of positions that were pruned. */
    static String pruned(long first) {
        return "events below position " + first + " are left out: they are in the log no more";
    }
}
