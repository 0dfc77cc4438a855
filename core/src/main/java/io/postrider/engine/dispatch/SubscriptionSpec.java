package io.postrider.engine.dispatch;

import io.postrider.Headers;
import io.postrider.StoredEvent;
import io.postrider.destination.Destination;
import io.postrider.operate.Delivery;
import io.postrider.policy.AfterDead;
import io.postrider.policy.NodeLimits;
import io.postrider.policy.Queue;
import io.postrider.policy.Reprocess;
import io.postrider.policy.Retention;
import io.postrider.policy.RetryPolicy;
import io.postrider.policy.Start;
import io.postrider.policy.SubscriptionLimits;
import io.postrider.store.FilterText;
import io.postrider.store.Park;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A subscription as its node runs it: filter, destinations and policy.
 *
 * @param queue how its events are worked off one by one; null where lanes deliver them
 * @param reprocess when dead events are replayed by themselves; null where only people decide
 * @param transactions where its settlements commit with the effects of its handlers; null where they are written on
 *     their own
 */
public record SubscriptionSpec(
        String name,
        Start start,
        boolean ordered,
        AfterDead afterDead,
        RetryPolicy retry,
        Map<String, RetryPolicy> retryByType,
        Routes routes,
        SubscriptionLimits limits,
        @Nullable Queue queue,
        @Nullable Reprocess reprocess,
        Retention retention,
        @Nullable Transactions<?> transactions) {

    public SubscriptionSpec {
        retryByType = Map.copyOf(retryByType);
        if (ordered && afterDead == AfterDead.STAY_BLOCKED && retention.touchesDead()) {
            throw new IllegalArgumentException("in subscription '" + name + "' dead events block their keys until"
                    + " someone decides (STAY_BLOCKED): they can be neither moved nor let go, got " + retention);
        }
    }

    /** Refuses a batch that never fits into the node, which would never be claimed, and reads between two looks. */
    public void requireFits(NodeLimits node) {
        if (limits.batchEvents() > node.inFlightEvents() || limits.batchBytes() > node.inFlightBytes()) {
            throw new IllegalArgumentException("a batch of subscription '" + name + "' has up to "
                    + limits.batchEvents() + " events and " + limits.batchBytes()
                    + " bytes, more than the node's inFlightEvents " + node.inFlightEvents() + " and inFlightBytes "
                    + node.inFlightBytes());
        }
        if (limits.rereadEvery().compareTo(node.pollMin()) < 0) {
            throw new IllegalArgumentException("subscription '" + name + "' reads a quiet lane again every "
                    + limits.rereadEvery() + " (rereadEvery), more often than the node's pollMin " + node.pollMin());
        }
    }

    /** Where an event goes; nowhere if it is not for this subscription. */
    public Optional<Destination> route(StoredEvent event) {
        String only = event.headers().values().get(Headers.ONLY_FOR);
        return only == null || only.equals(name) ? routes.route(event.type()) : Optional.empty();
    }

    public boolean isQueue() {
        return queue != null;
    }

    /**
     * Names the filter and the kind: nodes whose fingerprints differ do not share the subscription. An owner of a lane
     * knows nothing of tasks, retention of a node that goes on behind dead events would take those that block keys, and
     * an effect that commits with its record is not known to an owner that settles with its effects.
     */
    public String fingerprint() {
        if (isQueue()) {
            return routes.fingerprint() + " " + FilterText.QUEUE;
        }
        String withEffect = transactions == null ? "" : " " + FilterText.WITH_EFFECT;
        String staysBlocked = deadBlock() ? " " + FilterText.STAYS_BLOCKED : "";
        return routes.fingerprint() + withEffect + staysBlocked;
    }

    /** Which rows the owner of a lane remembers. */
    public Park.Wanted rows() {
        if (isQueue()) {
            return Park.Wanted.NONE;
        }
        if (!ordered) {
            return Park.Wanted.UNORDERED;
        }
        return deadBlock() ? Park.Wanted.WAITING_AND_DEAD : Park.Wanted.WAITING;
    }

    /** How much of them the owner of a lane looks at. */
    public Park.View view() {
        return new Park.View(rows(), limits.parkedHeld(), Math.max(limits.parkedMax(), limits.parkedBehindMax()));
    }

    /** Whether its owner has to remember dead rows: they hold their keys back. */
    public boolean deadBlock() {
        return ordered && afterDead == AfterDead.STAY_BLOCKED;
    }

    /** How many events it claims at once at most. */
    public int batchEvents() {
        return transactions == null ? limits.batchEvents() : Math.min(limits.batchEvents(), limits.effectEvents());
    }

    public RetryPolicy retryFor(String type) {
        return retryByType.getOrDefault(type, retry);
    }

    /** What an event must stay in order with: its key, or itself alone. */
    public Object orderKey(StoredEvent event) {
        return ordered ? event.orderKey() : event.id();
    }

    public Object orderKey(Delivery row) {
        return ordered ? row.orderKey() : row.id();
    }
}
