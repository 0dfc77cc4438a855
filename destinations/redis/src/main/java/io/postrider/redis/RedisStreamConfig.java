package io.postrider.redis;

import io.postrider.destination.Destination;
import io.postrider.wire.Encoding;
import java.time.Duration;

/**
 * How events are dispatched to streams. Immutable.
 *
 * @param profile name, batch, window, and how long Redis may be without an answer before it counts as down
 * @param rule which stream an event goes to
 * @param encoding how an event becomes a message
 * @param trim what the streams may forget
 * @param dedupFor for how long an event that comes again makes no second entry; not at all if zero
 * @param minReplicas how many replicas must have an event before it counts as delivered
 * @param messageBytesMax the largest message, headers included; a larger one is dead
 */
public record RedisStreamConfig(
        Destination.Profile profile,
        StreamRule rule,
        Encoding encoding,
        Trim trim,
        Duration dedupFor,
        int minReplicas,
        int messageBytesMax) {
    private static final String STREAM = "events";

    public RedisStreamConfig {
        RedisConfig.requirePositive("patience", profile.patience());
        if (dedupFor.isNegative()) {
            throw new IllegalArgumentException("dedupFor is not negative, got " + dedupFor);
        }
        RedisConfig.requireAtLeast("minReplicas", 0, minReplicas);
        RedisConfig.requireAtLeast("messageBytesMax", 1, messageBytesMax);
    }

    /** One stream, {@code events}, that nothing trims; an event that is dispatched twice is in it twice. */
    public static RedisStreamConfig defaults() {
        Destination.Profile profile = new Destination.Profile(
                "redis-stream", RedisBusConfig.BATCH, RedisBusConfig.WINDOW, RedisBusConfig.PATIENCE);
        return new RedisStreamConfig(
                profile,
                StreamRule.one(STREAM),
                Encoding.plain(),
                Trim.none(),
                Duration.ZERO,
                0,
                RedisBusConfig.MESSAGE_BYTES_MAX);
    }

    public RedisStreamConfig profile(Destination.Profile profile) {
        return new RedisStreamConfig(profile, rule, encoding, trim, dedupFor, minReplicas, messageBytesMax);
    }

    public RedisStreamConfig rule(StreamRule rule) {
        return new RedisStreamConfig(profile, rule, encoding, trim, dedupFor, minReplicas, messageBytesMax);
    }

    public RedisStreamConfig encoding(Encoding encoding) {
        return new RedisStreamConfig(profile, rule, encoding, trim, dedupFor, minReplicas, messageBytesMax);
    }

    public RedisStreamConfig trim(Trim trim) {
        return new RedisStreamConfig(profile, rule, encoding, trim, dedupFor, minReplicas, messageBytesMax);
    }

    /** Longer than an event may be retried, or it is found twice all the same. */
    public RedisStreamConfig dedupFor(Duration dedupFor) {
        return new RedisStreamConfig(profile, rule, encoding, trim, dedupFor, minReplicas, messageBytesMax);
    }

    public RedisStreamConfig minReplicas(int minReplicas) {
        return new RedisStreamConfig(profile, rule, encoding, trim, dedupFor, minReplicas, messageBytesMax);
    }

    public RedisStreamConfig messageBytesMax(int messageBytesMax) {
        return new RedisStreamConfig(profile, rule, encoding, trim, dedupFor, minReplicas, messageBytesMax);
    }

    boolean deduplicates() {
        return !dedupFor.isZero();
    }
}
