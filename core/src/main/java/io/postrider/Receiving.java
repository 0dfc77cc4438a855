package io.postrider;

import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Messages being taken from a source, until this is closed or the node is. The source itself is closed by whoever made
 * it, after this. Thread-safe.
 */
public interface Receiving extends AutoCloseable {

    Status status();

    /** Begins to stop: nothing more is pulled, what is in hand is finished or given back. Completed when it is. */
    CompletableFuture<Void> stop();

    /** Stops, and waits until it has. */
    @Override
    default void close() {
        stop().join();
    }

    /**
     * How it goes, on this node and since it began.
     *
     * @param down why the source does not answer; null while it does
     * @param waiting why the store does not take what is in hand; null while it does
     * @param done messages that were stored or handled, and acknowledged
     * @param repeated how many of those had been before
     * @param setAside how many of those no event could be made of, or no handler could deal with
     * @param inHand messages that were pulled and are not acknowledged
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
