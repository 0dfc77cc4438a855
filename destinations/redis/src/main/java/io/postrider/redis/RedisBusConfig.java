package io.postrider.redis;

import io.postrider.destination.Destination;
import java.time.Duration;

/**
 * How events are dispatched to channels. Immutable.
 *
 * @param profile name, batch, window, and how long Redis may be without an answer before it counts as down
 * @param messageBytesMax the largest message; a larger one is dead. Redis itself closes the connection at 512 MB
 */
public record RedisBusConfig(Destination.Profile profile, int messageBytesMax) {
    static final int BATCH = 256;
    static final int WINDOW = 1024;
    static final Duration PATIENCE = Duration.ofSeconds(10);
    static final int MESSAGE_BYTES_MAX = 64 * 1024 * 1024;

    public RedisBusConfig {
        RedisConfig.requirePositive("patience", profile.patience());
        RedisConfig.requireAtLeast("messageBytesMax", 1, messageBytesMax);
    }

    public static RedisBusConfig defaults() {
        return new RedisBusConfig(new Destination.Profile("redis-bus", BATCH, WINDOW, PATIENCE), MESSAGE_BYTES_MAX);
    }

    public RedisBusConfig profile(Destination.Profile profile) {
        return new RedisBusConfig(profile, messageBytesMax);
    }

    public RedisBusConfig messageBytesMax(int messageBytesMax) {
        return new RedisBusConfig(profile, messageBytesMax);
    }

    static byte[] requireSize(byte[] message, int most) {
        if (message.length > most) {
            throw new IllegalArgumentException(
                    "the message has " + message.length + " bytes, the limit messageBytesMax is " + most);
        }
        return message;
    }
}
