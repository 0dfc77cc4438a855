package io.postrider.operate;

import io.postrider.EventFilter;
import io.postrider.EventId;
import io.postrider.Position;
import io.postrider.StoredEvent;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Finds events by what is known of them, and tells what became of them. Changes nothing.
 *
 * <p>A page looks at a bounded number of rows, so that it answers soon at any size of the log. What it has not come to
 * by then is behind the bookmark it returns. Stories and chains may look in every segment of a log.
 */
public interface Search {
    /** The largest page. */
    int PAGE_MAX = 1_000;
    /** Events or delivery rows that one call looks at, at most. */
    int EXAMINED_MAX = 5_000;
    /** Events of one chain that are told, at most. */
    int CHAIN_MAX = 1_000;

    /**
     * Events, newest first, that is by falling position. A page may be shorter than {@code limit} and still have a next
     * one; only a page without a bookmark is the last.
     *
     * @param after the bookmark of the page before, or null for the first
     */
    Found events(EventFilter filter, @Nullable Bookmark after, int limit);

    /**
     * Events that stand so in a subscription, newest first; paged as {@link #events}. An event that its lane has passed
     * is judged by the filter of then, one that is pending by the filter of now.
     *
     * @throws IllegalArgumentException if there is no such subscription
     */
    Found deliveries(String subscription, State state, EventFilter filter, @Nullable Bookmark after, int limit);

    /** An event with all that is known of its way, in every subscription; empty if there is none with this id. */
    Optional<Story> story(EventId id);

    /** Where an event stands in a subscription: if it is not delivered, why. */
    Why why(String subscription, EventId id);

    /** All events with this correlation id, and the event whose id it is, each below the one that caused it. */
    Chain chain(String correlationId);

    /** Where an event stands in a subscription. */
    enum State {
        /** In the log, and not yet settled. */
        PENDING,
        /**
         * Its delivery row waits, and so does an earlier one of its key, which comes first where keys are ordered; or
         * an earlier one is dead, and it was never tried although it is due.
         */
        BLOCKED,
        /** A task of a queue that may be claimed. */
        READY,
        /** It waits until it is due, and nothing of its key before it. */
        WAITING,
        RUNNING,
        DEAD,
        EXPIRED,
        DELIVERED,
        /** Its lane has passed it under a filter that did not take its type. */
        SKIPPED
    }

    /** Where a page ended: the next one has events below this position. */
    record Bookmark(Position below) {}

    /**
     * A page.
     *
     * @param next where to go on, or null if there is nothing more
     */
    record Found(List<Hit> hits, @Nullable Bookmark next) {
        public Found {
            hits = List.copyOf(hits);
        }

        public List<StoredEvent> events() {
            return hits.stream().map(Hit::event).toList();
        }
    }

    /** An event that was looked for, and its delivery row where that is what was looked through. */
    record Hit(StoredEvent event, @Nullable Delivery delivery) {}

    static int requirePage(int limit) {
        if (limit < 1 || limit > PAGE_MAX) {
            throw new IllegalArgumentException("a page has 1 to " + PAGE_MAX + " events, got " + limit);
        }
        return limit;
    }
}
