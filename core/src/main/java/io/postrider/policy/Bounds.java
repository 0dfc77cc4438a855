package io.postrider.policy;

import java.time.Duration;

/** Checks of bounds, with the name and the value in the error. */
final class Bounds {

    private Bounds() {}

    static void atLeast(String name, long value, long least) {
        if (value < least) {
            throw new IllegalArgumentException(name + " is at least " + least + ", got " + value);
        }
    }

    static void atLeast(String name, Duration value, Duration least) {
        if (value.compareTo(least) < 0) {
            throw new IllegalArgumentException(name + " is at least " + least + ", got " + value);
        }
    }
}
