package io.postrider.kafka;

import java.time.Duration;

/**
 * Every quantity that a Kafka source bounds.
 *
 * @param unacknowledged how many messages it holds that nobody has answered; with more it reads nothing new
 * @param commitEvery how often it tells the broker what is done; what was done since comes again after a crash
 * @param answerWithin how long the broker may take to answer a question
 */
public record KafkaSourceLimits(int unacknowledged, Duration commitEvery, Duration answerWithin) {
    private static final int READ_AT_ONCE_MAX = 500;

    public static final KafkaSourceLimits DEFAULT =
            new KafkaSourceLimits(2_000, Duration.ofMillis(200), Duration.ofSeconds(5));

    public KafkaSourceLimits {
        if (unacknowledged < 1) {
            throw new IllegalArgumentException("unacknowledged is at least 1, got " + unacknowledged);
        }
        if (commitEvery.toMillis() < 1) {
            throw new IllegalArgumentException("commitEvery is at least 1 ms, got " + commitEvery);
        }
        if (answerWithin.toMillis() < 1) {
            throw new IllegalArgumentException("answerWithin is at least 1 ms, got " + answerWithin);
        }
    }

    public KafkaSourceLimits unacknowledged(int unacknowledged) {
        return new KafkaSourceLimits(unacknowledged, commitEvery, answerWithin);
    }

    public KafkaSourceLimits commitEvery(Duration commitEvery) {
        return new KafkaSourceLimits(unacknowledged, commitEvery, answerWithin);
    }

    public KafkaSourceLimits answerWithin(Duration answerWithin) {
        return new KafkaSourceLimits(unacknowledged, commitEvery, answerWithin);
    }

    /** How many one read may bring, so that two reads fit. */
    int readAtOnce() {
        return Math.max(1, Math.min(READ_AT_ONCE_MAX, unacknowledged / 2));
    }
}
