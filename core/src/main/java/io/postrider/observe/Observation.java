package io.postrider.observe;

import io.postrider.Event;
import io.postrider.EventId;
import io.postrider.Headers;
import io.postrider.Lane;
import io.postrider.StoredEvent;
import io.postrider.destination.Outcome;
import io.postrider.operate.Counts;
import io.postrider.operate.Delivery;
import io.postrider.operate.Drop;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * Something the engine did or noticed, told to every {@link io.postrider.observe.Observer}. Closed: metrics, traces and
 * log lines are made of these and of nothing else.
 */
public sealed interface Observation {

    /**
     * Messages were stored, or had been before.
     *
     * @param stored how many were new
     * @param repeated how many came again
     */
    record Received(String source, int stored, int repeated) implements Observation {}

    /** A message was set aside because no event could be made of it, or no handler could deal with it. */
    record SetAside(String source, String messageId, String why) implements Observation {}

    /** A source has stopped answering: nothing is received from it. */
    record SourceDown(String source, String why) implements Observation {}

    /** A source answers again. */
    record SourceUp(String source, Duration after) implements Observation {}

    /**
     * The stream of a source had lost its end, and its reader's position lay beyond: the source reads again from where
     * nothing was lost. Messages that were received before are known by their records.
     *
     * @param why what was found, and where reading begins again
     */
    record SourceWentBack(String source, String why) implements Observation {}

    /** Events were written in a caller's transaction, which may still be rolled back. */
    record Appended(List<Written> events) implements Observation {
        public Appended {
            events = List.copyOf(events);
        }

        /** One of them. */
        public record Written(EventId id, Event event) {}
    }

    /**
     * A destination has answered, or was given up waiting for.
     *
     * @param took from the call to the answer, for all events of the call together
     */
    record Dispatched(String subscription, StoredEvent event, int attempt, Outcome outcome, Duration took)
            implements Observation {}

    /**
     * An event was dispatched again although its effect had been committed: its handler was not called, and it counts
     * as delivered.
     */
    record Repeated(String subscription, StoredEvent event) implements Observation {}

    /**
     * A batch of a lane was settled: from now on none of it is delivered again, but for what has a row.
     *
     * @param change what it did to the counts
     * @param rows the delivery rows it wrote: what will be retried, runs on, is dead or has expired
     * @param headers what travelled beside the events of these rows, as far as this node has read them: of an event
     *     that another node had left running it has not
     * @param causes the exceptions that led to the failures among these rows, where some did
     */
    record Settled(
            String subscription,
            Lane lane,
            Counts change,
            List<Delivery> rows,
            Map<EventId, Headers> headers,
            Map<EventId, Throwable> causes)
            implements Observation {
        public Settled {
            rows = List.copyOf(rows);
            headers = Map.copyOf(headers);
            causes = Map.copyOf(causes);
        }

        /** One without failures. */
        public Settled(
                String subscription, Lane lane, Counts change, List<Delivery> rows, Map<EventId, Headers> headers) {
            this(subscription, lane, change, rows, headers, Map.of());
        }
    }

    /**
     * How many lanes of a subscription this node has now.
     *
     * @param of how many lanes the log has
     */
    record Shared(String subscription, int lanes, int of) implements Observation {}

    /** A subscription was removed from the store, and this node has ended with it. */
    record Removed(String subscription) implements Observation {}

    /** An operator has paused a subscription, or resumed it, and this node has heard of it. */
    record Paused(String subscription, boolean paused) implements Observation {}

    /** A lane was lost before it settled: what had been dispatched of it may be delivered a second time. */
    record Lost(String subscription, Lane lane) implements Observation {}

    /** A lane has so many rows that wait that it reads nothing new; or it has fewer again, or is no longer ours. */
    record Full(String subscription, Lane lane, boolean full) implements Observation {}

    /**
     * Something that waits will have expired before its turn comes, at the rate of the last while. Told again while
     * that lasts, and once when it is over.
     *
     * @param shortBy how much too late the most threatened would come; zero when nothing is threatened any more
     */
    record ExpiryThreatened(String subscription, Duration shortBy) implements Observation {}

    /** A retention has let events go. */
    record Dropped(Drop drop) implements Observation {}

    /**
     * The log was pruned.
     *
     * @param created segments and indexes that were made
     * @param dropped segments whose events have gone
     * @param segments how many segments the log has now
     * @param undropped those of them that are empty, and that open appends kept from being dropped
     */
    record Pruned(int created, int dropped, int segments, int undropped) implements Observation {}

    /** A destination had acknowledged events and has lost them: they are dispatched again, if the log has them. */
    record Unsealed(String subscription, String destination, String stream, int events) implements Observation {}

    /**
     * A destination takes nothing at present, which is no fault of any event. Told of each subscription that delivers
     * to it.
     *
     * @param destination the subscription and what kind of destination it is: {@code billing (JetStream orders)}
     */
    record DestinationDown(String destination, String why) implements Observation {}

    /** A destination takes events again. */
    record DestinationUp(String destination, Duration after) implements Observation {}

    /**
     * A lease was renewed later than it should have been: the store is slow, or had no connection free.
     *
     * @param whose the node or the queue whose lease it is
     * @param late how long the renewal took, or how old the lease was
     */
    record RenewedLate(String whose, Duration late) implements Observation {}

    /** The store has stopped answering. */
    record StoreDown(String why) implements Observation {}

    /** The store answers again. */
    record StoreUp(Duration after) implements Observation {}
}
