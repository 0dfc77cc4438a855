package io.postrider.engine;

import io.postrider.AfterDead;
import io.postrider.Headers;
import io.postrider.Limits;
import io.postrider.Queue;
import io.postrider.Reprocess;
import io.postrider.RetryPolicy;
import io.postrider.Start;
import io.postrider.StoredEvent;
import io.postrider.spi.Claim;
import io.postrider.spi.Delivery;
import io.postrider.spi.Destination;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A subscription as its node runs it: filter, destinations and policy. */
public record SubscriptionSpec(
        String name,
        Start start,
        boolean ordered,
        AfterDead afterDead,
        RetryPolicy retry,
        Map<String, RetryPolicy> retryByType,
        Routes routes,
        Limits limits,
        @Nullable Queue queue,
        @Nullable Reprocess reprocess) {

    public SubscriptionSpec {
        retryByType = Map.copyOf(retryByType);
    }

    /** Without a schedule by which dead events are replayed. */
    public SubscriptionSpec(
            String name,
            Start start,
            boolean ordered,
            AfterDead afterDead,
            RetryPolicy retry,
            Map<String, RetryPolicy> retryByType,
            Routes routes,
            Limits limits,
            @Nullable Queue queue) {
        this(name, start, ordered, afterDead, retry, retryByType, routes, limits, queue, null);
    }

    /** Where an event goes; nowhere if it is not for this subscription. */
    Optional<Destination> route(StoredEvent event) {
        String only = event.headers().values().get(Headers.ONLY_FOR);
        return only == null || only.equals(name) ? routes.route(event.type()) : Optional.empty();
    }

    boolean isQueue() {
        return queue != null;
    }

    /** Which rows the owner of a lane remembers. */
    Claim.Wanted rows() {
        if (isQueue()) {
            return Claim.Wanted.NONE;
        }
        return deadBlock() ? Claim.Wanted.WAITING_AND_DEAD : Claim.Wanted.WAITING;
    }

    /** Whether its owner has to remember dead rows: they hold their keys back. */
    boolean deadBlock() {
        return ordered && afterDead == AfterDead.STAY_BLOCKED;
    }

    RetryPolicy retryFor(String type) {
        return retryByType.getOrDefault(type, retry);
    }

    /** What an event must stay in order with: its key, or itself alone. */
    Object orderKey(StoredEvent event) {
        return ordered ? event.orderKey() : event.id();
    }

    Object orderKey(Delivery row) {
        return ordered ? row.orderKey() : row.id();
    }
}
