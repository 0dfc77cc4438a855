package io.postrider.operate;

import io.postrider.Position;
import java.time.Instant;

/**
 * The record of events that a retention has let go. They are counted as discarded, and cannot be replayed.
 *
 * @param events how many, between the positions {@code from} and {@code to}; there may be others in between
 * @param oldest when the oldest of them was appended
 * @param newest when the newest of them was appended
 */
public record Drop(
        String subscription,
        Reason reason,
        long events,
        Position from,
        Position to,
        Instant oldest,
        Instant newest,
        Instant at) {

    /** What they were. */
    public enum Reason {
        DEAD,
        EXPIRED
    }

    public Drop {
        if (events < 1) {
            throw new IllegalArgumentException("a drop has at least one event, got " + events);
        }
    }
}
