package io.postrider.operate;

import io.postrider.Position;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Looks, and changes nothing. A subscription that does not exist is an {@link IllegalArgumentException}. */
public interface Browse {

    /** The names of the subscriptions that the store knows. */
    List<String> subscriptions();

    /**
     * The subscription's ledger, exact at one snapshot; its cost grows with what is pending. Events that the filter
     * will skip are pending until their lane has settled past them.
     */
    Ledger ledger(String subscription);

    /** A cheap look at how a subscription is doing, from cursors, settlements and small tables. */
    Progress progress(String subscription);

    /**
     * The same for people who look, with the oldest open append while something is pending. To find it, a store may
     * have to list its locks: not for gauges, which ask often.
     */
    default Progress progressWithOpenAppend(String subscription) {
        Progress progress = progress(subscription);
        return progress.pendingEstimate() == 0
                ? progress
                : progress.beside(openAppends(1).stream().findFirst().orElse(null));
    }

    /** Delivery rows by position, after this one. */
    List<Delivery> deliveries(String subscription, Delivery.Status status, Position after, int limit);

    /**
     * Transactions that have appended and not ended, the oldest first. Floors stay below what they appended, and so
     * prune keeps their segments and all later ones.
     */
    List<OpenAppend> openAppends(int limit);

    /** How long the oldest open append has been open, by the store's clock; empty if there is none that it may tell. */
    Optional<Duration> openAppendAge();

    /**
     * A transaction that has appended and not ended.
     *
     * @param transaction the store's name of it
     * @param holder who has it open, as far as the store may tell
     * @param since when it began, or was prepared; null if the store may not tell
     */
    record OpenAppend(
            String transaction, String holder, @Nullable Instant since) {
        public OpenAppend {
            if (transaction.isBlank() || holder.isBlank()) {
                throw new IllegalArgumentException(
                        "an open append has a transaction and a holder, got '" + transaction + "', '" + holder + "'");
            }
        }
    }

    /**
     * The lane counts added up, an estimate of what is pending, and the age of the oldest that is.
     *
     * @param openAppend while something is pending, the oldest transaction that has appended and not ended: what it
     *     appended is not among the pending, and comes when it commits. Null where it was not asked for, see
     *     {@link #progressWithOpenAppend}
     */
    record Progress(
            Counts counts,
            long pendingEstimate,
            @Nullable Instant oldestPending,
            @Nullable OpenAppend openAppend) {
        public Progress(Counts counts, long pendingEstimate, @Nullable Instant oldestPending) {
            this(counts, pendingEstimate, oldestPending, null);
        }

        /** The same, and who has an append open. */
        public Progress beside(@Nullable OpenAppend openAppend) {
            return new Progress(counts, pendingEstimate, oldestPending, openAppend);
        }
    }

    /** The error that names the subscriptions there are. */
    static IllegalArgumentException unknown(String subscription, List<String> known) {
        return new IllegalArgumentException("there is no subscription '" + subscription + "'; "
                + (known.isEmpty()
                        ? "none is registered yet"
                        : "those registered are '" + String.join("', '", known) + "'"));
    }
}
