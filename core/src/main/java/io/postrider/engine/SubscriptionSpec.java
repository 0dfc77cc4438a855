package io.postrider.engine;

import io.postrider.AfterDead;
import io.postrider.Limits;
import io.postrider.Queue;
import io.postrider.Retention;
import io.postrider.RetryPolicy;
import io.postrider.Start;
import io.postrider.StoredEvent;
import io.postrider.spi.Claim;
import io.postrider.spi.Delivery;
import java.util.Map;
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
        Retention retention) {

    public SubscriptionSpec {
        retryByType = Map.copyOf(retryByType);
        if (ordered && afterDead == AfterDead.STAY_BLOCKED && retention.touchesDead()) {
            throw new IllegalArgumentException("in subscription '" + name + "' dead events block their keys until"
                    + " someone decides (STAY_BLOCKED): they can be neither moved nor let go, got " + retention);
        }
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
