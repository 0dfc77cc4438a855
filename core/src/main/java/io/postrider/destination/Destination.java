package io.postrider.destination;

import io.postrider.StoredEvent;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * Where events go. The engine keeps the order: it never gives an event to a destination before the earlier ones of its
 * key have an outcome. The {@code tck} module holds every destination to the same promises.
 *
 * <p>Called by several threads at once. Whoever made a destination closes it, after the nodes that use it.
 */
public interface Destination {

    Profile profile();

    /**
     * What kind of destination it is, and which, in words for people: {@code JetStream orders}. In health, log lines
     * and metrics a destination appears by its subscription and this: {@code billing (JetStream orders)}.
     */
    default String kind() {
        return profile().name();
    }

    /**
     * Dispatches events in this order and answers one outcome for each, in the same order. May do its work before it
     * returns, or later. A failed stage counts as a retry of each event.
     *
     * <p>{@code Delivered} means that the other side has acknowledged it. What the other side refuses is {@code Dead},
     * with its words. Where nobody is there to refuse anything, or nobody knows whether the event has arrived, it is
     * {@link Outcome.Down}: the engine then gives nothing more until {@link #probe} says so, and counts no attempt.
     *
     * <p>A call that is still without an answer {@code handlerTimeout} after {@link Profile#patience} counts as failed,
     * and the stage's {@code toCompletableFuture()} is cancelled: what has not been sent by then must not be sent
     * later.
     */
    CompletionStage<List<Outcome>> dispatch(List<Dispatch> dispatches);

    /**
     * Tries whether it takes events, and connects if it has to. Asked while it is down, one at a time; a failed stage
     * says why it still is.
     */
    CompletionStage<Void> probe();

    /** One event on its way to a destination. */
    record Dispatch(String subscription, StoredEvent event, int attempt) {}

    /**
     * What the engine has to know of it.
     *
     * @param name tells it from others of its kind; kept with what it has acknowledged, so never to be changed
     * @param batch how many events one dispatch may carry
     * @param window how many events may be under way at once, on this node
     * @param patience how long an event may be without an answer; its lane waits {@code settleAfter} longer before it
     *     parks the event and goes on, so that nothing is parked where a destination says {@code Down} within this time
     */
    record Profile(String name, int batch, int window, Duration patience) {
        public Profile {
            if (name.isBlank()) {
                throw new IllegalArgumentException("a destination needs a name");
            }
            if (batch < 1 || window < batch) {
                throw new IllegalArgumentException("a destination's batch is at least 1 and its window at least a"
                        + " batch, got batch " + batch + " and window " + window + " for '" + name + "'");
            }
        }

        /** Handlers in this process: as many at once as the subscription's {@code concurrency}. */
        public static Profile handlers(int batch) {
            return new Profile("handlers", batch, Integer.MAX_VALUE, Duration.ZERO);
        }
    }
}
