package io.postrider.store;

import io.postrider.Event;
import io.postrider.EventId;
import io.postrider.Headers;
import io.postrider.StoredEvent;
import io.postrider.operate.Operate;
import io.postrider.policy.Schedule;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The first verb: events join the caller's own transaction, by one write and nothing else.
 *
 * @param <T> the store's transaction handle
 */
public interface Append<T> {

    /**
     * Appends in this order. An event whose own data no log takes is a {@link RefusedEventException} that names the
     * reason; any other failure is the store's.
     */
    void append(T transaction, List<Entry> entries);

    /**
     * Whether events may be appended by {@link #appendAndCommit} instead. False where their place in the transaction
     * makes a difference, or where nobody could tell afterwards that the work has ended the transaction by itself.
     *
     * <p>Once it was true, it is false only after {@code writeNow}, or when the transaction has failed or ended.
     *
     * @param writeNow appends the events that wait; called before the work marks a place in the transaction to which it
     *     may go back, and from then on nothing waits
     */
    boolean mayWait(T transaction, Runnable writeNow);

    /**
     * Appends in this order and commits, in one step.
     *
     * @throws IllegalStateException if the work has ended the transaction by itself: nothing is appended
     * @throws StoreException if the store did not answer: the outcome is unknown
     * @throws Exception why the store refused an event or the commit: everything is undone
     */
    void appendAndCommit(T transaction, List<Entry> entries) throws Exception;

    /** An event, or the copy of one that a log has, ready to be written: with an id, the payload as JSON text. */
    record Entry(
            EventId id,
            String type,
            @Nullable String key,
            String payload,
            Headers headers,
            @Nullable String tenant,
            Schedule schedule) {

        public Entry {
            Event.requireLogged(type, key, tenant, headers);
        }

        /**
         * Refuses blanks that no log takes any more. Copies of events that a log had before are written without this
         * check.
         */
        public void requireNew() {
            try {
                Event.requireTexts(type, key, tenant, headers);
            } catch (IllegalArgumentException e) {
                throw new RefusedEventException(String.valueOf(e.getMessage()), e);
            }
        }

        /** The changed copy of an event, as an operator wants it. */
        public static Entry of(Operate.Edit edit, StoredEvent original, String subscription) {
            Schedule schedule = edit.schedule();
            return new Entry(
                    edit.id(),
                    edit.type() != null ? edit.type() : original.type(),
                    original.key(),
                    edit.payload() != null ? edit.payload() : original.payload(),
                    edit.headersOf(original, subscription),
                    original.tenant(),
                    schedule != null
                            ? schedule
                            : Schedule.NONE.priority(original.schedule().priority()));
        }

        /** An event that is wanted as soon as possible. */
        public Entry(
                EventId id,
                String type,
                @Nullable String key,
                String payload,
                Headers headers,
                @Nullable String tenant) {
            this(id, type, key, payload, headers, tenant, Schedule.NONE);
        }
    }
}
