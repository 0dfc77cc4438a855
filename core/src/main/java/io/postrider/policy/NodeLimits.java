package io.postrider.policy;

import java.time.Duration;
import java.util.function.UnaryOperator;

/**
 * What a node bounds, each bound with its name; {@link #subscriptions} has what each of its subscriptions bounds.
 * Immutable.
 */
public final class NodeLimits {
    /** The largest payload a log takes at all: its tables check it, so that no other language exceeds it either. */
    public static final int PAYLOAD_BYTES_MAX = 1 << 20;

    public static final NodeLimits DEFAULT = new Builder().build();

    private final int inFlightEvents;
    private final long inFlightBytes;
    private final int payloadBytes;
    private final Duration lease;
    private final Duration pollMin;
    private final Duration pollMax;
    private final Duration backoffMax;
    private final Duration stopWait;
    private final Duration pruneEvery;
    private final Duration retain;
    private final Duration processedFor;
    private final Duration receivedFor;
    private final Duration auditFor;
    private final Duration operationsFor;
    private final Duration dropsFor;
    private final SubscriptionLimits subscriptions;

    private NodeLimits(Builder from) {
        inFlightEvents = from.inFlightEvents;
        inFlightBytes = from.inFlightBytes;
        payloadBytes = from.payloadBytes;
        lease = from.lease;
        pollMin = from.pollMin;
        pollMax = from.pollMax;
        backoffMax = from.backoffMax;
        stopWait = from.stopWait;
        pruneEvery = from.pruneEvery;
        retain = from.retain;
        processedFor = from.processedFor;
        receivedFor = from.receivedFor;
        auditFor = from.auditFor;
        operationsFor = from.operationsFor;
        dropsFor = from.dropsFor;
        subscriptions = from.subscriptions.build();
        check();
    }

    private void check() {
        Bounds.atLeast("inFlightEvents", inFlightEvents, subscriptions.batchEvents());
        Bounds.atLeast("inFlightBytes", inFlightBytes, subscriptions.batchBytes());
        Bounds.atLeast("payloadBytes", payloadBytes, 2);
        if (payloadBytes > PAYLOAD_BYTES_MAX) {
            throw new IllegalArgumentException(
                    "payloadBytes is at most " + PAYLOAD_BYTES_MAX + ", got " + payloadBytes);
        }
        Bounds.atLeast("lease", lease, Duration.ofMillis(100));
        Bounds.atLeast("pollMin", pollMin, Duration.ofMillis(1));
        Bounds.atLeast("pollMax", pollMax, pollMin);
        Bounds.atLeast("rereadEvery", subscriptions.rereadEvery(), pollMin);
        Bounds.atLeast("backoffMax", backoffMax, Duration.ofMillis(1));
        Bounds.atLeast("stopWait", stopWait, Duration.ZERO);
        checkTimes();
    }

    private void checkTimes() {
        Bounds.atLeast("pruneEvery", pruneEvery, Duration.ofMillis(1));
        Retention.requireTime("retain", retain, Duration.ZERO);
        Bounds.atLeast("processedFor", processedFor, Duration.ofMillis(1));
        Bounds.atLeast("receivedFor", receivedFor, Duration.ofMillis(1));
        Retention.requireTime("auditFor", auditFor, Duration.ZERO);
        Retention.requireTime("operationsFor", operationsFor, Duration.ZERO);
        Retention.requireTime("dropsFor", dropsFor, Duration.ZERO);
    }

    /** Starts from the defaults. */
    public static Builder builder() {
        return new Builder();
    }

    /** Events a node holds in memory. */
    public int inFlightEvents() {
        return inFlightEvents;
    }

    /** Bytes of payloads and headers a node holds in memory. */
    public long inFlightBytes() {
        return inFlightBytes;
    }

    /** The largest payload, in UTF-8 bytes. */
    public int payloadBytes() {
        return payloadBytes;
    }

    /** How long a node that fell silent keeps its lanes. */
    public Duration lease() {
        return lease;
    }

    /** The shortest pause between two looks for news. */
    public Duration pollMin() {
        return pollMin;
    }

    /** The longest pause between two looks for news. */
    public Duration pollMax() {
        return pollMax;
    }

    /** The longest pause between two tries while the store does not answer. */
    public Duration backoffMax() {
        return backoffMax;
    }

    /** How long a stop waits for running handlers. */
    public Duration stopWait() {
        return stopWait;
    }

    /** How often segments are created ahead and dropped behind. */
    public Duration pruneEvery() {
        return pruneEvery;
    }

    /** How long the log keeps events at least, up to {@link Retention#FOR_GOOD}. */
    public Duration retain() {
        return retain;
    }

    /** How long it is remembered that an effect was committed. */
    public Duration processedFor() {
        return processedFor;
    }

    /** How long it is remembered that a message was received: longer than any source sends one again. */
    public Duration receivedFor() {
        return receivedFor;
    }

    /** How long entries of the audit are kept, up to {@link Retention#FOR_GOOD}. */
    public Duration auditFor() {
        return auditFor;
    }

    /** How long operations are kept after their end, and which events they decided about. */
    public Duration operationsFor() {
        return operationsFor;
    }

    /** How long it is on record what retentions have let go. */
    public Duration dropsFor() {
        return dropsFor;
    }

    /** The bounds of each subscription that does not change its own. */
    public SubscriptionLimits subscriptions() {
        return subscriptions;
    }

    /** Not thread-safe. */
    public static final class Builder {
        private int inFlightEvents = 8_000;
        private long inFlightBytes = 32 << 20;
        private int payloadBytes = 256 << 10;
        private Duration lease = Duration.ofSeconds(10);
        private Duration pollMin = Duration.ofMillis(10);
        private Duration pollMax = Duration.ofMillis(200);
        private Duration backoffMax = Duration.ofSeconds(5);
        private Duration stopWait = Duration.ofSeconds(30);
        private Duration pruneEvery = Duration.ofSeconds(10);
        private Duration retain = Duration.ofDays(7);
        private Duration processedFor = Duration.ofDays(7);
        private Duration receivedFor = Duration.ofDays(7);
        private Duration auditFor = Duration.ofDays(400);
        private Duration operationsFor = Duration.ofDays(400);
        private Duration dropsFor = Duration.ofDays(400);
        private SubscriptionLimits.Builder subscriptions = SubscriptionLimits.builder();

        private Builder() {}

        public Builder inFlightEvents(int value) {
            inFlightEvents = value;
            return this;
        }

        public Builder inFlightBytes(long value) {
            inFlightBytes = value;
            return this;
        }

        public Builder payloadBytes(int value) {
            payloadBytes = value;
            return this;
        }

        public Builder lease(Duration value) {
            lease = value;
            return this;
        }

        public Builder pollMin(Duration value) {
            pollMin = value;
            return this;
        }

        public Builder pollMax(Duration value) {
            pollMax = value;
            return this;
        }

        public Builder backoffMax(Duration value) {
            backoffMax = value;
            return this;
        }

        public Builder stopWait(Duration value) {
            stopWait = value;
            return this;
        }

        public Builder pruneEvery(Duration value) {
            pruneEvery = value;
            return this;
        }

        public Builder retain(Duration value) {
            retain = value;
            return this;
        }

        public Builder processedFor(Duration value) {
            processedFor = value;
            return this;
        }

        public Builder receivedFor(Duration value) {
            receivedFor = value;
            return this;
        }

        public Builder auditFor(Duration value) {
            auditFor = value;
            return this;
        }

        public Builder operationsFor(Duration value) {
            operationsFor = value;
            return this;
        }

        public Builder dropsFor(Duration value) {
            dropsFor = value;
            return this;
        }

        /** Changes what subscriptions bound that do not change their own. */
        public Builder subscriptions(UnaryOperator<SubscriptionLimits.Builder> change) {
            subscriptions = change.apply(subscriptions);
            return this;
        }

        public NodeLimits build() {
            return new NodeLimits(this);
        }
    }
}
