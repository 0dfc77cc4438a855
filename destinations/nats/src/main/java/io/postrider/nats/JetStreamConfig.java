package io.postrider.nats;

import io.postrider.wire.Encoding;
import java.time.Duration;

/**
 * How events go to JetStream. Each method with an argument returns a changed copy.
 *
 * @param topics how an event's subject is found
 * @param streams which streams there have to be, and which has what
 * @param encoding how an event becomes a message
 * @param batch how many events one dispatch may carry
 * @param window how many events may be under way at once, on this node
 * @param ackTimeout how long to wait for an acknowledgement; then the connection is given up, because nobody knows what
 *     has arrived, and events under way are dispatched again on the next one
 * @param retryHorizon how long after its first dispatch an event may be dispatched again; a stream that forgets the ids
 *     of messages earlier may store it twice, and a warning says so
 */
public record JetStreamConfig(
        Servers servers,
        Topics topics,
        Streams streams,
        Encoding encoding,
        int batch,
        int window,
        Duration ackTimeout,
        Duration retryHorizon) {

    /** The most events that may be under way at once: as many as the client library queues. */
    public static final int WINDOW_MAX = 5_000;

    static final Duration RETRY_HORIZON = Duration.ofHours(1);

    public JetStreamConfig {
        if (batch < 1 || window < batch || window > WINDOW_MAX) {
            throw new IllegalArgumentException("batch is at least 1 and window between batch and " + WINDOW_MAX
                    + ", got batch " + batch + " and window " + window);
        }
        if (ackTimeout.toMillis() < 1) {
            throw new IllegalArgumentException("ackTimeout is at least a millisecond, got " + ackTimeout);
        }
        if (retryHorizon.isNegative()) {
            throw new IllegalArgumentException("retryHorizon is not negative, got " + retryHorizon);
        }
    }

    /** Topics are types, streams are those the server has, payloads are as they were appended. */
    public static JetStreamConfig of(Servers servers) {
        return new JetStreamConfig(
                servers,
                Topics.byType(),
                Streams.existing(),
                Encoding.plain(),
                64,
                1_000,
                Duration.ofSeconds(5),
                RETRY_HORIZON);
    }

    public JetStreamConfig topics(Topics topics) {
        return new JetStreamConfig(servers, topics, streams, encoding, batch, window, ackTimeout, retryHorizon);
    }

    public JetStreamConfig streams(Streams streams) {
        return new JetStreamConfig(servers, topics, streams, encoding, batch, window, ackTimeout, retryHorizon);
    }

    public JetStreamConfig encoding(Encoding encoding) {
        return new JetStreamConfig(servers, topics, streams, encoding, batch, window, ackTimeout, retryHorizon);
    }

    public JetStreamConfig batch(int batch) {
        return new JetStreamConfig(servers, topics, streams, encoding, batch, window, ackTimeout, retryHorizon);
    }

    public JetStreamConfig window(int window) {
        return new JetStreamConfig(
                servers, topics, streams, encoding, Math.min(batch, window), window, ackTimeout, retryHorizon);
    }

    public JetStreamConfig ackTimeout(Duration ackTimeout) {
        return new JetStreamConfig(servers, topics, streams, encoding, batch, window, ackTimeout, retryHorizon);
    }

    public JetStreamConfig retryHorizon(Duration retryHorizon) {
        return new JetStreamConfig(servers, topics, streams, encoding, batch, window, ackTimeout, retryHorizon);
    }
}
