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
 * @param inOrder whether a new connection that finds messages which an earlier one has not answered waits until they
 *     come again, for twice {@code ackWait} at most, so that no later one overtakes them; nodes that share a consumer
 *     have no order among them, and need not wait
 * @param answerTimeout how much longer than a pull to wait for the server's answer to it
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
        boolean inOrder,
        Duration answerTimeout) {

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
                servers, stream, durable, false, null, Duration.ofSeconds(10), 10_000, -1, true, Duration.ofSeconds(2));
    }

    public JetStreamSourceConfig create(boolean create) {
        return new JetStreamSourceConfig(
                servers, stream, durable, create, filter, ackWait, maxAckPending, maxDeliver, inOrder, answerTimeout);
    }

    public JetStreamSourceConfig filter(String filter) {
        return new JetStreamSourceConfig(
                servers, stream, durable, create, filter, ackWait, maxAckPending, maxDeliver, inOrder, answerTimeout);
    }

    public JetStreamSourceConfig ackWait(Duration ackWait) {
        return new JetStreamSourceConfig(
                servers, stream, durable, create, filter, ackWait, maxAckPending, maxDeliver, inOrder, answerTimeout);
    }

    public JetStreamSourceConfig maxAckPending(int maxAckPending) {
        return new JetStreamSourceConfig(
                servers, stream, durable, create, filter, ackWait, maxAckPending, maxDeliver, inOrder, answerTimeout);
    }

    public JetStreamSourceConfig maxDeliver(int maxDeliver) {
        return new JetStreamSourceConfig(
                servers, stream, durable, create, filter, ackWait, maxAckPending, maxDeliver, inOrder, answerTimeout);
    }

    public JetStreamSourceConfig inOrder(boolean inOrder) {
        return new JetStreamSourceConfig(
                servers, stream, durable, create, filter, ackWait, maxAckPending, maxDeliver, inOrder, answerTimeout);
    }

    public JetStreamSourceConfig answerTimeout(Duration answerTimeout) {
        return new JetStreamSourceConfig(
                servers, stream, durable, create, filter, ackWait, maxAckPending, maxDeliver, inOrder, answerTimeout);
    }
}
