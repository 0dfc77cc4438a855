package io.postrider.store;

import io.postrider.EventId;
import io.postrider.destination.Placed;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Messages from elsewhere are appended once, however often they come. What was received is remembered by its source and
 * its id, in the transaction of the append.
 *
 * @param <T> the store's transaction handle
 */
public interface Receive<T> {

    /**
     * Appends those that were not received before, in this order; of two with one id, the first. Where another
     * transaction that is still open receives the same, this one waits for its end; two that receive the same in
     * different orders do not wait for each other.
     *
     * @return the ids of those that were appended
     */
    Set<EventId> receive(T transaction, String source, List<Append.Entry> entries);

    /**
     * Whether a commit with what was received failed because of the data in it, as by a deferred check: then the same
     * would be refused again, and one of the messages is at fault. Otherwise nobody is, and it may succeed.
     */
    boolean isRefused(Exception commit);

    /** How many messages of this source came again after they had been received, on all nodes together. */
    long repeated(String source);

    /**
     * Keeps in this transaction that a reader has taken messages up to this place. Readers of one source never wait for
     * each other here.
     */
    void place(T transaction, String reader, Placed.Place place);

    /** The newest place that was kept for a reader, for good. */
    Optional<Placed.Place> newest(String reader);

    /** Forgets what was received longer ago than this; a store may keep some longer. True if something was. */
    boolean forget(Duration age);
}
