package io.postrider.kafka;

import java.time.Duration;

/**
 * Every quantity that a Kafka destination bounds.
 *
 * @param batch how many events one dispatch may carry
 * @param window how many events may be under way at once
 * @param batchBytes how much the producer sends together to one partition; a larger event goes alone
 * @param linger how long the producer waits for more to send together
 * @param patience how long an event may be without the broker's acknowledgement before the broker counts as down. The
 *     producer's own time-outs are parts of it, so that its answer comes before this time is over
 * @param answerWithin how long the broker may take to answer a probe, and to say which topics it has
 */
public record KafkaLimits(
        int batch, int window, int batchBytes, Duration linger, Duration patience, Duration answerWithin) {
    /** Half of what the producer has for all partitions, unless a property says otherwise. */
    private static final int BATCH_BYTES_MAX = 16 * 1024 * 1024;

    private static final Duration PATIENCE_MIN = Duration.ofSeconds(1);
    private static final Duration BLOCK_MAX = Duration.ofSeconds(1);

    public static final KafkaLimits DEFAULT =
            new KafkaLimits(500, 5_000, 64 * 1024, Duration.ofMillis(5), Duration.ofSeconds(20), Duration.ofSeconds(5));

    public KafkaLimits {
        if (batch < 1 || window < batch) {
            throw new IllegalArgumentException(
                    "batch is at least 1 and window at least a batch, got batch " + batch + " and window " + window);
        }
        if (batchBytes < 1 || batchBytes > BATCH_BYTES_MAX) {
            throw new IllegalArgumentException("batchBytes is from 1 to " + BATCH_BYTES_MAX + ", got " + batchBytes);
        }
        if (patience.compareTo(PATIENCE_MIN) < 0) {
            throw new IllegalArgumentException("patience is at least " + PATIENCE_MIN + ", got " + patience);
        }
        if (linger.isNegative() || linger.compareTo(patience.dividedBy(4)) > 0) {
            throw new IllegalArgumentException(
                    "linger is at most a quarter of patience, " + patience + ", got " + linger);
        }
        if (answerWithin.toMillis() < 1) {
            throw new IllegalArgumentException("answerWithin is at least 1 ms, got " + answerWithin);
        }
    }

    public KafkaLimits batch(int batch) {
        return new KafkaLimits(batch, window, batchBytes, linger, patience, answerWithin);
    }

    public KafkaLimits window(int window) {
        return new KafkaLimits(batch, window, batchBytes, linger, patience, answerWithin);
    }

    public KafkaLimits batchBytes(int batchBytes) {
        return new KafkaLimits(batch, window, batchBytes, linger, patience, answerWithin);
    }

    public KafkaLimits linger(Duration linger) {
        return new KafkaLimits(batch, window, batchBytes, linger, patience, answerWithin);
    }

    public KafkaLimits patience(Duration patience) {
        return new KafkaLimits(batch, window, batchBytes, linger, patience, answerWithin);
    }

    public KafkaLimits answerWithin(Duration answerWithin) {
        return new KafkaLimits(batch, window, batchBytes, linger, patience, answerWithin);
    }

    /** How long the producer tries, over all its retries. */
    Duration deliveryTimeout() {
        return patience.dividedBy(2);
    }

    /** How long one of its requests may take: there is time for a second one. */
    Duration requestTimeout() {
        return deliveryTimeout().dividedBy(2);
    }

    /** How long a send may wait for the broker to say where a topic is, or for memory. */
    Duration blockAtMost() {
        return atMost(BLOCK_MAX, patience.dividedBy(8));
    }

    /**
     * How long the broker may take to say whether it has a topic, before it counts as down: the time is nearly over.
     */
    Duration doubtAtMost() {
        return atMost(answerWithin, patience.dividedBy(8));
    }

    /** How long no broker that was heard of may answer, before all of them may have moved. */
    Duration newClientAfter() {
        return patience.multipliedBy(3);
    }

    private static Duration atMost(Duration limit, Duration time) {
        return time.compareTo(limit) < 0 ? time : limit;
    }
}
