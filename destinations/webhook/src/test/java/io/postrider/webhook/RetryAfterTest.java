package io.postrider.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class RetryAfterTest {
    private static final Instant NOW = Instant.parse("2026-11-15T12:00:00Z");
    private static final Duration HOUR = Duration.ofHours(1);

    @Test
    void it_is_a_number_of_seconds_or_a_time() {
        assertThat(RetryAfter.read("120", NOW, HOUR)).contains(NOW.plusSeconds(120));
        assertThat(RetryAfter.read(" 0 ", NOW, HOUR)).contains(NOW);
        assertThat(RetryAfter.read("Sun, 15 Nov 2026 12:05:00 GMT", NOW, HOUR)).contains(NOW.plusSeconds(300));
    }

    @Test
    void nobody_is_left_alone_for_longer_than_the_limit_or_until_the_past() {
        assertThat(RetryAfter.read("999999999999", NOW, HOUR)).contains(NOW.plus(HOUR));
        assertThat(RetryAfter.read("Fri, 01 Jan 2100 00:00:00 GMT", NOW, HOUR)).contains(NOW.plus(HOUR));
        assertThat(RetryAfter.read("Sat, 14 Nov 2026 12:00:00 GMT", NOW, HOUR)).contains(NOW);
    }

    @Test
    void nonsense_says_nothing() {
        for (String text : new String[] {"", "soon", "-1", "1.5", "9999999999999", "2026-11-15T12:00:00Z"}) {
            assertThat(RetryAfter.read(text, NOW, HOUR)).as(text).isEmpty();
        }
    }
}
