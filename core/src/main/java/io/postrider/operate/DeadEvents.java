package io.postrider.operate;

import io.postrider.Position;
import java.util.List;

/**
 * The dead events of subscriptions that keep them apart ({@link io.postrider.policy.DeadLetters#MOVED}). While nobody
 * has decided about them, {@link Browse#deliveries} lists them like any other, {@link Operate} finds them, and an
 * operation about many events puts them back into the lanes before it counts them.
 */
public interface DeadEvents {

    /** Those of a status by position, after this one. */
    List<DeadEvent> list(String subscription, DeadEvent.Status status, Position after, int limit);
}
