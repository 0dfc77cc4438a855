package io.postrider.redis;

import java.time.Duration;
import java.util.UUID;

/**
 * Which stream is consumed, and how. Immutable.
 *
 * @param stream the key of the stream
 * @param group the consumer group, which all nodes share; made if it is missing
 * @param consumer this node's name within the group, different for each
 * @param fromBeginning whether a group that is made begins with what the stream has already, or with what comes later
 * @param claimAfter how long an entry may be without an answer before another consumer takes it
 * @param heldMax entries that wait to be given again, beyond which nothing new is read
 * @param patience how long Redis may be without an answer
 */
public record RedisStreamSourceConfig(
        String stream,
        String group,
        String consumer,
        boolean fromBeginning,
        Duration claimAfter,
        int heldMax,
        Duration patience) {

    public RedisStreamSourceConfig {
        requireName("stream", stream);
        requireName("group", group);
        requireName("consumer", consumer);
        RedisConfig.requirePositive("claimAfter", claimAfter);
        RedisConfig.requireAtLeast("heldMax", 1, heldMax);
        RedisConfig.requirePositive("patience", patience);
    }

    /** From the beginning of the stream, under a name of its own. */
    public static RedisStreamSourceConfig of(String stream, String group) {
        return new RedisStreamSourceConfig(
                stream,
                group,
                "postrider-" + UUID.randomUUID(),
                true,
                Duration.ofSeconds(30),
                1_000,
                Duration.ofSeconds(10));
    }

    public RedisStreamSourceConfig consumer(String consumer) {
        return new RedisStreamSourceConfig(stream, group, consumer, fromBeginning, claimAfter, heldMax, patience);
    }

    public RedisStreamSourceConfig fromBeginning(boolean fromBeginning) {
        return new RedisStreamSourceConfig(stream, group, consumer, fromBeginning, claimAfter, heldMax, patience);
    }

    public RedisStreamSourceConfig claimAfter(Duration claimAfter) {
        return new RedisStreamSourceConfig(stream, group, consumer, fromBeginning, claimAfter, heldMax, patience);
    }

    public RedisStreamSourceConfig heldMax(int heldMax) {
        return new RedisStreamSourceConfig(stream, group, consumer, fromBeginning, claimAfter, heldMax, patience);
    }

    public RedisStreamSourceConfig patience(Duration patience) {
        return new RedisStreamSourceConfig(stream, group, consumer, fromBeginning, claimAfter, heldMax, patience);
    }

    /** Where entries go that are not to come again. */
    String deadStream() {
        return stream + ".dead";
    }

    private static void requireName(String what, String name) {
        if (name.isBlank()) {
            throw new IllegalArgumentException("a source of Redis needs a " + what);
        }
    }
}
