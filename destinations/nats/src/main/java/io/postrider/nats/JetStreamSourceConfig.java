package io.postrider.nats;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A durable consumer of a stream, shared by all nodes that use it. Each method with an argument returns a changed copy.
 *
 * @param stream the stream's name
 * @param durable the consumer's name
 * @param create whether it is created if it does not exist; one that is different is an error in any case
 * @param filter the subjects it takes, or null for all of the stream's
 * @param ackWait after which time without an answer a message comes again
 * @param maxAckPending how many messages may be without an answer at once, on all nodes
 * @param maxDeliver how often a message comes at most, or -1 for as often as it takes
 * @param answerTimeout how much longer than a pull to wait for the server's answer to it
 * @param ordered whether a new connection waits, for {@code ackWait} at most, until messages come again that an earlier
 *     one has not answered, so that none overtakes them. Nodes that share the consumer have no order among them, and
 *     need not wait
 */
public record JetStreamSourceConfig(
        Servers servers,
        String stream,
        String durable,
        boolean create,
        @Nullable String filter,
        Duration ackWait,
        int maxAckPending,
        int maxDeliver,
        Duration answerTimeout,
        boolean ordered) {

    public JetStreamSourceConfig {
        StreamSpec.requireStreamName(stream);
        try {
            StreamSpec.requireStreamName(durable);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("a consumer is named like a stream: " + e.getMessage(), e);
        }
        String reason = filter == null ? null : Subjects.illegalPattern(filter);
        if (reason != null) {
            throw new IllegalArgumentException("a filter is like 'orders.>', got '" + filter + "': " + reason);
        }
        if (ackWait.toMillis() < 1 || answerTimeout.toMillis() < 1) {
            throw new IllegalArgumentException(
                    "ackWait and answerTimeout are at least a millisecond, got " + ackWait + " and " + answerTimeout);
        }
        if (maxAckPending < 1 || maxDeliver == 0 || maxDeliver < -1) {
            throw new IllegalArgumentException("maxAckPending is at least 1, and maxDeliver at least 1, or -1 for no"
                    + " limit, got " + maxAckPending + " and " + maxDeliver);
        }
    }

    /** A consumer that has to exist, of all messages of a stream. */
    public static JetStreamSourceConfig of(Servers servers, String stream, String durable) {
        return new JetStreamSourceConfig(
                servers, stream, durable, false, null, Duration.ofSeconds(30), 10_000, -1, Duration.ofSeconds(2), true);
    }

    public JetStreamSourceConfig create(boolean create) {
        return new JetStreamSourceConfig(
                servers, stream, durable, create, filter, ackWait, maxAckPending, maxDeliver, answerTimeout, ordered);
    }

    public JetStreamSourceConfig filter(String filter) {
        return new JetStreamSourceConfig(
                servers, stream, durable, create, filter, ackWait, maxAckPending, maxDeliver, answerTimeout, ordered);
    }

    public JetStreamSourceConfig ackWait(Duration ackWait) {
        return new JetStreamSourceConfig(
                servers, stream, durable, create, filter, ackWait, maxAckPending, maxDeliver, answerTimeout, ordered);
    }

    public JetStreamSourceConfig maxAckPending(int maxAckPending) {
        return new JetStreamSourceConfig(
                servers, stream, durable, create, filter, ackWait, maxAckPending, maxDeliver, answerTimeout, ordered);
    }

    public JetStreamSourceConfig maxDeliver(int maxDeliver) {
        return new JetStreamSourceConfig(
                servers, stream, durable, create, filter, ackWait, maxAckPending, maxDeliver, answerTimeout, ordered);
    }

    public JetStreamSourceConfig answerTimeout(Duration answerTimeout) {
        return new JetStreamSourceConfig(
                servers, stream, durable, create, filter, ackWait, maxAckPending, maxDeliver, answerTimeout, ordered);
    }

    public JetStreamSourceConfig ordered(boolean ordered) {
        return new JetStreamSourceConfig(
                servers, stream, durable, create, filter, ackWait, maxAckPending, maxDeliver, answerTimeout, ordered);
    }
}
