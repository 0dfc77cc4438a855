package io.postrider.webhook;

import java.time.Duration;

/** Durations as people write them. */
final class Time {
    private Time() {}

    /** In the largest unit that needs no fraction: {@code 5 s}, {@code 400 ms}. */
    static String words(Duration time) {
        long millis = time.toMillis();
        for (Unit unit : Unit.values()) {
            if (millis % unit.millis == 0 && millis != 0) {
                return millis / unit.millis + " " + unit.word;
            }
        }
        return "0 s";
    }

    private enum Unit {
        DAY("d", Duration.ofDays(1)),
        HOUR("h", Duration.ofHours(1)),
        MINUTE("min", Duration.ofMinutes(1)),
        SECOND("s", Duration.ofSeconds(1)),
        MILLISECOND("ms", Duration.ofMillis(1));

        final String word;
        final long millis;

        Unit(String word, Duration time) {
            this.word = word;
            this.millis = time.toMillis();
        }
    }
}
