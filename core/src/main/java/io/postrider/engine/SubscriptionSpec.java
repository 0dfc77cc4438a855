package io.postrider.engine;

import io.postrider.AfterDead;
import io.postrider.Limits;
import io.postrider.RetryPolicy;
import io.postrider.Start;
import io.postrider.StoredEvent;
import io.postrider.spi.Delivery;
import java.util.Map;

/** A subscription as its node runs it: filter, destinations and policy. */
public record SubscriptionSpec(
        String name,
        Start start,
        boolean ordered,
        AfterDead afterDead,
        RetryPolicy retry,
        Map<String, RetryPolicy> retryByType,
        Routes routes,
        Limits limits) {

    public SubscriptionSpec {
        retryByType = Map.copyOf(retryByType);
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
