package io.postrider.redis;

import java.time.Duration;

/**
 * What a stream may forget, whether it was read or not. Redis does so in passing, a whole node of its tree at a time,
 * so that somewhat more stays than asked. Immutable.
 */
public sealed interface Trim {

    /** Nothing: somebody else trims the stream, or it grows until Redis has no memory left. */
    static Trim none() {
        return new None();
    }

    /** All but about this many entries, the oldest first. */
    static Trim toLength(long entries) {
        return new ToLength(entries);
    }

    /** Entries that are older than this, by the clock of this machine. */
    static Trim toAge(Duration age) {
        return new ToAge(age);
    }

    /** What stands in the command. */
    String[] arguments(long nowMillis);

    /** Nothing is forgotten. */
    record None() implements Trim {
        @Override
        public String[] arguments(long nowMillis) {
            return new String[0];
        }
    }

    /** By number. */
    record ToLength(long entries) implements Trim {
        public ToLength {
            RedisConfig.requireAtLeast("the length that a stream is trimmed to", 1, entries);
        }

        @Override
        public String[] arguments(long nowMillis) {
            return new String[] {"MAXLEN", "~", Long.toString(entries)};
        }
    }

    /** By time. */
    record ToAge(Duration age) implements Trim {
        public ToAge {
            RedisConfig.requirePositive("the age that a stream is trimmed to", age);
        }

        @Override
        public String[] arguments(long nowMillis) {
            return new String[] {"MINID", "~", Long.toString(Math.max(0, nowMillis - age.toMillis()))};
        }
    }
}
