package io.postrider.spi;

import io.postrider.By;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Decisions about many events at once. What is started is on record and carried out by the nodes, see {@link Chunks};
 * the set is what is dead or expired when it starts.
 */
public interface Operations {

    /** How many events it would be about, exactly, and the first of them by position. Nothing is written. */
    Preview preview(Operation.Target target, int sample);

    /** Starts one; empty if there is no such subscription. */
    Optional<Operation> start(Operation.Kind kind, Operation.Target target, Operation.Pace pace, By by);

    /** Stops one within a chunk; what is done stays done. */
    Operate.Answer cancel(long operation, By by);

    Optional<Operation> find(long operation);

    /** Those before this id, newest first; of one subscription, or of all. */
    List<Operation> list(@Nullable String subscription, long before, int limit);

    /** What an operation would be about. */
    record Preview(long count, List<Delivery> sample) {
        public Preview {
            sample = List.copyOf(sample);
        }
    }
}
