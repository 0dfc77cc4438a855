package io.postrider.spi;

import io.postrider.By;
import io.postrider.DeadEvent;
import io.postrider.Position;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The dead events of subscriptions that keep them apart ({@link io.postrider.DeadLetters#MOVED}). While nobody has
 * decided about them, {@link Browse#deliveries} lists them like any other, and {@link Operate} finds them.
 */
public interface DeadEvents {

    /** Those of a status by position, after this one. */
    List<DeadEvent> list(String subscription, DeadEvent.Status status, Position after, int limit);

    /** As {@link Operate#replay}; false if it is not here, or was decided about. */
    boolean replay(String subscription, Position position, @Nullable By by);

    /** As {@link Operate#discard}; false if it is not here, or was decided about. */
    boolean discard(String subscription, Position position, @Nullable By by);
}
