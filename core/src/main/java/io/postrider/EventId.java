package io.postrider;

import java.time.Instant;
import java.util.UUID;
import java.util.random.RandomGenerator;

/** The identity of an event: a UUID, version 7 when Postrider draws it, so that ids sort roughly by time. */
public record EventId(UUID value) implements Comparable<EventId> {

    /** Reads the usual textual form. */
    public static EventId of(String text) {
        try {
            return new EventId(UUID.fromString(text));
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("an event id is a UUID, got '" + text + "'", e);
        }
    }

    /** Draws a UUIDv7 (RFC 9562): 48 bits of milliseconds, then 74 random bits. */
    public static EventId draw(Instant now, RandomGenerator random) {
        long high = (now.toEpochMilli() << 16) | 0x7000L | (random.nextLong() & 0x0FFFL);
        long low = (random.nextLong() & 0x3FFF_FFFF_FFFF_FFFFL) | 0x8000_0000_0000_0000L;
        return new EventId(new UUID(high, low));
    }

    @Override
    public int compareTo(EventId other) {
        int high = Long.compareUnsigned(value.getMostSignificantBits(), other.value.getMostSignificantBits());
        return high != 0
                ? high
                : Long.compareUnsigned(value.getLeastSignificantBits(), other.value.getLeastSignificantBits());
    }

    @Override
    public String toString() {
        return value.toString();
    }
}
