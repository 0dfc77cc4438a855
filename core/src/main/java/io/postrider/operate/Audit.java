package io.postrider.operate;

import io.postrider.EventId;
import io.postrider.Position;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What operators did, and nodes that changed a filter: who, when, why and to what. Each entry is written with what it
 * tells of, so that neither is there without the other. Payloads, errors and secrets are not in it.
 */
public interface Audit {

    /** Entries before this number, newest first. */
    List<Entry> entries(Query query, long before, int limit);

    /**
     * Something an operator did.
     *
     * @param number grows with time; where the next page goes on
     * @param operation the bulk operation it belongs to
     * @param details names and values, by action
     */
    record Entry(
            long number,
            Instant at,
            By by,
            Action action,
            @Nullable String subscription,
            @Nullable Position position,
            @Nullable EventId event,
            @Nullable Long operation,
            Map<String, String> details) {
        public Entry {
            details = Map.copyOf(details);
        }
    }

    /** What can be done. */
    enum Action {
        REPLAY,
        DISCARD,
        EDIT,
        RELEASE_KEY,
        SKIP_KEY,
        PAUSE,
        RESUME,
        DRAIN,
        UNDRAIN,
        /** A subscription was removed; the details say how many of its events were dropped. */
        REMOVE,
        /** A node started with another filter than its subscription had. */
        CHANGE_FILTER,
        /** A node took back its filter, because no live node had the later one any more. */
        TAKE_FILTER_BACK,
        OPERATION_STARTED,
        OPERATION_CANARY_PASSED,
        OPERATION_STOPPED_BY_CANARY,
        OPERATION_FINISHED,
        OPERATION_CANCELLED,
        OPERATION_FAILED
    }

    /**
     * Which entries: those for which everything holds that is given.
     *
     * @param event of this event alone, and of the bulk operations that decided about it
     */
    record Query(
            @Nullable String subscription,
            @Nullable Action action,
            @Nullable String who,
            @Nullable EventId event,
            @Nullable Long operation) {
        /** Every entry. */
        public static final Query ALL = new Query(null, null, null, null, null);

        public Query subscription(@Nullable String value) {
            return new Query(value, action, who, event, operation);
        }

        public Query action(@Nullable Action value) {
            return new Query(subscription, value, who, event, operation);
        }

        public Query who(@Nullable String value) {
            return new Query(subscription, action, value, event, operation);
        }

        public Query event(@Nullable EventId value) {
            return new Query(subscription, action, who, value, operation);
        }

        public Query operation(@Nullable Long value) {
            return new Query(subscription, action, who, event, value);
        }
    }
}
