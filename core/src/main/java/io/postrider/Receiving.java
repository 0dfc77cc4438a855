package io.postrider;

import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A running reception from a source; it ends with {@link #close}, or with its node. The application then closes the
 * source. Thread-safe.
 */
public interface Receiving extends AutoCloseable {

    Status status();

    /** Begins to stop: pulls nothing more, finishes or gives back pulled messages, then completes the future. */
    CompletableFuture<Void> stop();

    /** Stops, and waits for the end. */
    @Override
    default void close() {
        stop().join();
    }

    /**
     * The state of a reception on this node, with counts since its start.
     *
     * @param down why the source does not answer; null while the source answers
     * @param waiting why the store does not take the pulled messages; null while the store takes them
     * @param done messages that were stored or handled, and acknowledged
     * @param repeated how many of the done messages had been received before
     * @param setAside how many of the done messages no decoder could read, or no handler could process
     * @param inHand messages that were pulled and are not yet acknowledged
     */
    record Status(
            String source,
            @Nullable String down,
            @Nullable String waiting,
            long done,
            long repeated,
            long setAside,
            int inHand) {}
}
