package io.postrider.redis;

import io.postrider.StoredEvent;
import java.util.function.Function;

/**
 * Which stream an event goes to. Immutable, and thread-safe if {@code choose} is.
 *
 * @param choose the key of the stream of an event
 * @param probe the key that is looked at to find out whether Redis takes events; nothing is written to it
 */
public record StreamRule(Function<StoredEvent, String> choose, String probe) {

    public StreamRule {
        requireKey(probe, "a probe");
    }

    /** All events in one stream, in their order. */
    public static StreamRule one(String stream) {
        return new StreamRule(event -> stream, stream);
    }

    /** A stream for each type: the prefix and the type. */
    public static StreamRule perType(String prefix) {
        return new StreamRule(event -> prefix + event.type(), prefix + "probe");
    }

    /**
     * The stream of an event.
     *
     * @throws IllegalArgumentException if the rule gives it none
     */
    String streamOf(StoredEvent event) {
        return requireKey(choose.apply(event), "an event of type '" + event.type() + "'");
    }

    private static String requireKey(String key, String what) {
        if (key.isBlank()) {
            throw new IllegalArgumentException("the rule gives " + what + " no stream: a key is not blank");
        }
        return key;
    }
}
