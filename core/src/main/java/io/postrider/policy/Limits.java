package io.postrider.policy;

import java.time.Duration;

/**
 * Every quantity the engine bounds, each with its name.
 *
 * @param batchEvents events in one batch of a lane
 * @param batchBytes bytes of payloads and headers in one batch of a lane, unless a single event is larger
 * @param inFlightEvents events a node holds in memory
 * @param inFlightBytes bytes of payloads and headers a node holds in memory
 * @param payloadBytes the largest payload, in UTF-8 bytes
 * @param concurrency handlers of one subscription that run at once on one node
 * @param parkedMax delivery rows of a lane that have failed and wait, beyond which the lane reads nothing new
 * @param parkedBehindMax delivery rows of a lane that wait behind others of their keys, beyond which the lane reads
 *     nothing new
 * @param parkedHeld keys of a lane whose delivery rows its owner holds in memory, those that are due first; rows of
 *     further keys stay in the store until these are done
 * @param handlerTimeout how long a handler may run before its event counts as failed; a destination has its own
 *     patience beside
 * @param settleAfter how long a batch waits for its slowest event before the rest is settled
 * @param settleQuietEvery how often a lane that delivers nothing settles how far it has read; what it has skipped, ten
 *     times as often
 * @param lease how long a node that fell silent keeps its lanes
 * @param pollMin the shortest pause between two looks for news
 * @param pollMax the longest pause between two looks for news
 * @param rereadEvery how often a quiet lane is read although nobody announced anything
 * @param backoffMax the longest pause between two tries while the store does not answer
 * @param stopWait how long a stop waits for running handlers
 * @param pruneEvery how often segments are created ahead and dropped behind
 * @param retain how long the log keeps events at least, up to {@link Retention#FOR_GOOD}
 * @param processedFor how long it is remembered that an effect was committed
 * @param guardedFor how far back events are dispatched again that a destination has acknowledged and lost
 * @param receivedFor how long it is remembered that a message was received: longer than any source sends one again
 * @param auditFor how long entries of the audit are kept, up to {@link Retention#FOR_GOOD}
 * @param operationsFor how long operations are kept after their end, and which events they decided about
 * @param dropsFor how long it is on record what retentions have let go
 * @param effectEvents events in one transaction, where the settlement commits with the effects
 */
public record Limits(
        int batchEvents,
        long batchBytes,
        int inFlightEvents,
        long inFlightBytes,
        int payloadBytes,
        int concurrency,
        int parkedMax,
        int parkedBehindMax,
        int parkedHeld,
        Duration handlerTimeout,
        Duration settleAfter,
        Duration settleQuietEvery,
        Duration lease,
        Duration pollMin,
        Duration pollMax,
        Duration rereadEvery,
        Duration backoffMax,
        Duration stopWait,
        Duration pruneEvery,
        Duration retain,
        Duration processedFor,
        Duration guardedFor,
        Duration receivedFor,
        Duration auditFor,
        Duration operationsFor,
        Duration dropsFor,
        int effectEvents) {

    /** The largest payload a log takes at all: its tables check it, so that no other language exceeds it either. */
    public static final int PAYLOAD_BYTES_MAX = 1 << 20;

    public static final Limits DEFAULT = new Builder().build();

    public Limits {
        atLeast("batchEvents", batchEvents, 1);
        atLeast("batchBytes", batchBytes, 1);
        atLeast("inFlightEvents", inFlightEvents, batchEvents);
        atLeast("inFlightBytes", inFlightBytes, batchBytes);
        atLeast("payloadBytes", payloadBytes, 2);
        atLeast("concurrency", concurrency, 1);
        atLeast("parkedMax", parkedMax, 1);
        atLeast("parkedBehindMax", parkedBehindMax, 1);
        atLeast("parkedHeld", parkedHeld, 1);
        if (payloadBytes > PAYLOAD_BYTES_MAX) {
            throw new IllegalArgumentException(
                    "payloadBytes is at most " + PAYLOAD_BYTES_MAX + ", got " + payloadBytes);
        }
        atLeast("handlerTimeout", handlerTimeout, Duration.ofMillis(1));
        atLeast("settleAfter", settleAfter, Duration.ofMillis(1));
        atLeast("settleQuietEvery", settleQuietEvery, Duration.ofMillis(1));
        atLeast("lease", lease, Duration.ofMillis(100));
        atLeast("pollMin", pollMin, Duration.ofMillis(1));
        atLeast("pollMax", pollMax, pollMin);
        atLeast("rereadEvery", rereadEvery, pollMin);
        atLeast("backoffMax", backoffMax, Duration.ofMillis(1));
        atLeast("stopWait", stopWait, Duration.ZERO);
        atLeast("pruneEvery", pruneEvery, Duration.ofMillis(1));
        Retention.requireTime("retain", retain, Duration.ZERO);
        atLeast("processedFor", processedFor, Duration.ofMillis(1));
        atLeast("guardedFor", guardedFor, Duration.ZERO);
        atLeast("receivedFor", receivedFor, Duration.ofMillis(1));
        Retention.requireTime("auditFor", auditFor, Duration.ZERO);
        Retention.requireTime("operationsFor", operationsFor, Duration.ZERO);
        Retention.requireTime("dropsFor", dropsFor, Duration.ZERO);
        atLeast("effectEvents", effectEvents, 1);
    }

    public static Builder builder() {
        return new Builder();
    }

    private static void atLeast(String name, long value, long least) {
        if (value < least) {
            throw new IllegalArgumentException(name + " is at least " + least + ", got " + value);
        }
    }

    private static void atLeast(String name, Duration value, Duration least) {
        if (value.compareTo(least) < 0) {
            throw new IllegalArgumentException(name + " is at least " + least + ", got " + value);
        }
    }

    /** Starts from the defaults. */
    public static final class Builder {
        private int batchEvents = 1_000;
        private long batchBytes = 4 << 20;
        private int inFlightEvents = 8_000;
        private long inFlightBytes = 32 << 20;
        private int payloadBytes = 256 << 10;
        private int concurrency = 16;
        private int parkedMax = 10_000;
        private int parkedBehindMax = 100_000;
        private int parkedHeld = 1_000;
        private Duration handlerTimeout = Duration.ofSeconds(30);
        private Duration settleAfter = Duration.ofSeconds(1);
        private Duration settleQuietEvery = Duration.ofMinutes(5);
        private Duration lease = Duration.ofSeconds(10);
        private Duration pollMin = Duration.ofMillis(10);
        private Duration pollMax = Duration.ofMillis(200);
        private Duration rereadEvery = Duration.ofSeconds(5);
        private Duration backoffMax = Duration.ofSeconds(5);
        private Duration stopWait = Duration.ofSeconds(30);
        private Duration pruneEvery = Duration.ofSeconds(10);
        private Duration retain = Duration.ofDays(7);
        private Duration processedFor = Duration.ofDays(7);
        private Duration guardedFor = Duration.ofDays(1);
        private Duration receivedFor = Duration.ofDays(7);
        private Duration auditFor = Duration.ofDays(400);
        private Duration operationsFor = Duration.ofDays(400);
        private Duration dropsFor = Duration.ofDays(400);
        private int effectEvents = 50;

        private Builder() {}

        public Builder batchEvents(int value) {
            batchEvents = value;
            return this;
        }

        public Builder batchBytes(long value) {
            batchBytes = value;
            return this;
        }

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

        public Builder concurrency(int value) {
            concurrency = value;
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

        public Builder rereadEvery(Duration value) {
            rereadEvery = value;
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

        public Builder guardedFor(Duration value) {
            guardedFor = value;
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

        public Builder effectEvents(int value) {
            effectEvents = value;
            return this;
        }

        public Limits build() {
            return new Limits(
                    batchEvents,
                    batchBytes,
                    inFlightEvents,
                    inFlightBytes,
                    payloadBytes,
                    concurrency,
                    parkedMax,
                    parkedBehindMax,
                    parkedHeld,
                    handlerTimeout,
                    settleAfter,
                    settleQuietEvery,
                    lease,
                    pollMin,
                    pollMax,
                    rereadEvery,
                    backoffMax,
                    stopWait,
                    pruneEvery,
                    retain,
                    processedFor,
                    guardedFor,
                    receivedFor,
                    auditFor,
                    operationsFor,
                    dropsFor,
                    effectEvents);
        }
    }
}
