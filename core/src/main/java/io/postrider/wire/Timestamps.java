package io.postrider.wire;

import java.time.Instant;

/**
 * Times as {@link Instant#toString} has them. Events that follow one another were mostly appended in the same second,
 * so that all but its fraction is remembered from the last one. Thread-safe.
 */
final class Timestamps {
    private static final int DIGITS = 9;

    private static volatile Second last = new Second(0, Instant.EPOCH.toString());

    /** @param text with a Z at its end */
    private record Second(long number, String text) {}

    private Timestamps() {}

    static String text(Instant time) {
        Second second = last;
        if (second.number() != time.getEpochSecond()) {
            second = new Second(
                    time.getEpochSecond(),
                    Instant.ofEpochSecond(time.getEpochSecond()).toString());
            last = second;
        }
        return time.getNano() == 0 ? second.text() : withFraction(second.text(), time.getNano());
    }

    /** Three, six or nine digits, as few as there can be. */
    private static String withFraction(String second, int nanos) {
        int digits = nanos % 1_000_000 == 0 ? 3 : nanos % 1_000 == 0 ? 6 : DIGITS;
        int left = nanos;
        for (int i = digits; i < DIGITS; i++) {
            left /= 10;
        }
        char[] fraction = new char[digits + 1];
        fraction[digits] = 'Z';
        for (int i = digits - 1; i >= 0; i--) {
            fraction[i] = (char) ('0' + left % 10);
            left /= 10;
        }
        return new StringBuilder(second.length() + digits + 1)
                .append(second, 0, second.length() - 1)
                .append('.')
                .append(fraction)
                .toString();
    }
}
