package io.postrider.spi;

import io.postrider.Counts;
import io.postrider.Ledger;
import io.postrider.Position;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Looks, and changes nothing. A subscription that does not exist is an {@link IllegalArgumentException}. */
public interface Browse {

    /** The subscription's ledger, exact at one snapshot; its cost grows with what is pending. */
    Ledger ledger(String subscription);

    /** A cheap look at how a subscription is doing, from cursors, settlements and small tables. */
    Progress progress(String subscription);

    /** Delivery rows by position, after this one. */
    List<Delivery> deliveries(String subscription, Delivery.Status status, Position after, int limit);

    /** The lane counts added up, an estimate of what is pending, and the age of the oldest that is. */
    record Progress(
            Counts counts, long pendingEstimate, @Nullable Instant oldestPending) {}
}
