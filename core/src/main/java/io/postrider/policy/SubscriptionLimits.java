package io.postrider.policy;

import java.time.Duration;

/**
 * What a subscription bounds, each bound with its name. {@link NodeLimits#subscriptions} has the bounds of every
 * subscription of a node; a subscription changes its own from there. Immutable.
 */
public final class SubscriptionLimits {
    public static final SubscriptionLimits DEFAULT = new Builder().build();

    private final int batchEvents;
    private final long batchBytes;
    private final int effectEvents;
    private final int concurrency;
    private final Duration handlerTimeout;
    private final Duration settleAfter;
    private final Duration settleQuietEvery;
    private final Duration rereadEvery;
    private final int parkedMax;
    private final int parkedBehindMax;
    private final int parkedHeld;
    private final Duration guardedFor;

    private SubscriptionLimits(Builder from) {
        batchEvents = from.batchEvents;
        batchBytes = from.batchBytes;
        effectEvents = from.effectEvents;
        concurrency = from.concurrency;
        handlerTimeout = from.handlerTimeout;
        settleAfter = from.settleAfter;
        settleQuietEvery = from.settleQuietEvery;
        rereadEvery = from.rereadEvery;
        parkedMax = from.parkedMax;
        parkedBehindMax = from.parkedBehindMax;
        parkedHeld = from.parkedHeld;
        guardedFor = from.guardedFor;
        check();
    }

    private void check() {
        Bounds.atLeast("batchEvents", batchEvents, 1);
        Bounds.atLeast("batchBytes", batchBytes, 1);
        Bounds.atLeast("effectEvents", effectEvents, 1);
        Bounds.atLeast("concurrency", concurrency, 1);
        Bounds.atLeast("handlerTimeout", handlerTimeout, Duration.ofMillis(1));
        Bounds.atLeast("settleAfter", settleAfter, Duration.ofMillis(1));
        Bounds.atLeast("settleQuietEvery", settleQuietEvery, Duration.ofMillis(1));
        Bounds.atLeast("rereadEvery", rereadEvery, Duration.ofMillis(1));
        Bounds.atLeast("parkedMax", parkedMax, 1);
        Bounds.atLeast("parkedBehindMax", parkedBehindMax, 1);
        Bounds.atLeast("parkedHeld", parkedHeld, 1);
        Bounds.atLeast("guardedFor", guardedFor, Duration.ZERO);
    }

    /** Starts from the defaults. */
    public static Builder builder() {
        return new Builder();
    }

    /** Starts from these. */
    public Builder change() {
        Builder builder = new Builder();
        builder.batchEvents = batchEvents;
        builder.batchBytes = batchBytes;
        builder.effectEvents = effectEvents;
        builder.concurrency = concurrency;
        builder.handlerTimeout = handlerTimeout;
        builder.settleAfter = settleAfter;
        builder.settleQuietEvery = settleQuietEvery;
        builder.rereadEvery = rereadEvery;
        builder.parkedMax = parkedMax;
        builder.parkedBehindMax = parkedBehindMax;
        builder.parkedHeld = parkedHeld;
        builder.guardedFor = guardedFor;
        return builder;
    }

    /** Events in one batch of a lane. */
    public int batchEvents() {
        return batchEvents;
    }

    /** Bytes of payloads and headers in one batch of a lane, unless a single event is larger. */
    public long batchBytes() {
        return batchBytes;
    }

    /** Events in one transaction, where the settlement commits with the effects. */
    public int effectEvents() {
        return effectEvents;
    }

    /** Handlers of one subscription that run at once on one node. */
    public int concurrency() {
        return concurrency;
    }

    /**
     * How long a handler may run before its event counts as failed; a destination has its own patience beside. A direct
     * consumer has the same bound.
     */
    public Duration handlerTimeout() {
        return handlerTimeout;
    }

    /** How long a batch waits for its slowest event before the rest is settled. */
    public Duration settleAfter() {
        return settleAfter;
    }

    /** How often a lane that delivers nothing settles how far it has read; what it has skipped, ten times as often. */
    public Duration settleQuietEvery() {
        return settleQuietEvery;
    }

    /** How often a quiet lane is read although nobody announced anything. */
    public Duration rereadEvery() {
        return rereadEvery;
    }

    /** Delivery rows of a lane that have failed and wait, beyond which the lane reads nothing new. */
    public int parkedMax() {
        return parkedMax;
    }

    /** Delivery rows of a lane that wait behind others of their keys, beyond which the lane reads nothing new. */
    public int parkedBehindMax() {
        return parkedBehindMax;
    }

    /**
     * Keys of a lane whose delivery rows its owner holds in memory, those that are due first; rows of further keys stay
     * in the store until these are done.
     */
    public int parkedHeld() {
        return parkedHeld;
    }

    /** How far back events are dispatched again that a destination has acknowledged and lost. */
    public Duration guardedFor() {
        return guardedFor;
    }

    /** Not thread-safe. */
    public static final class Builder {
        private int batchEvents = 1_000;
        private long batchBytes = 4 << 20;
        private int effectEvents = 50;
        private int concurrency = 16;
        private Duration handlerTimeout = Duration.ofSeconds(30);
        private Duration settleAfter = Duration.ofSeconds(1);
        private Duration settleQuietEvery = Duration.ofMinutes(5);
        private Duration rereadEvery = Duration.ofSeconds(5);
        private int parkedMax = 10_000;
        private int parkedBehindMax = 100_000;
        private int parkedHeld = 1_000;
        private Duration guardedFor = Duration.ofDays(1);

        private Builder() {}

        public Builder batchEvents(int value) {
            batchEvents = value;
            return this;
        }

        public Builder batchBytes(long value) {
            batchBytes = value;
            return this;
        }

        public Builder effectEvents(int value) {
            effectEvents = value;
            return this;
        }

        public Builder concurrency(int value) {
            concurrency = value;
            return this;
        }

        public Builder handlerTimeout(Duration value) {
            handlerTimeout = value;
            return this;
        }

        public Builder settleAfter(Duration value) {
            settleAfter = value;
            return this;
        }

        public Builder settleQuietEvery(Duration value) {
            settleQuietEvery = value;
            return this;
        }

        public Builder rereadEvery(Duration value) {
            rereadEvery = value;
            return this;
        }

        public Builder parkedMax(int value) {
            parkedMax = value;
            return this;
        }

        public Builder parkedBehindMax(int value) {
            parkedBehindMax = value;
            return this;
        }

        public Builder parkedHeld(int value) {
            parkedHeld = value;
            return this;
        }

        public Builder guardedFor(Duration value) {
            guardedFor = value;
            return this;
        }

        public SubscriptionLimits build() {
            return new SubscriptionLimits(this);
        }
    }
}
