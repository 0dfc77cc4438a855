package io.postrider.webhook;

import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.Optional;

/** The header by which a server says when to come again: in so many seconds, or at a time. */
final class RetryAfter {
    private static final int DIGITS_MAX = 12;

    private RetryAfter() {}

    /** When to come again, not before now and not later than {@code most} from now; nothing if it says nothing. */
    static Optional<Instant> read(String text, Instant now, Duration most) {
        Instant latest = now.plus(most);
        return instant(text.strip(), now)
                .map(at -> at.isAfter(latest) ? latest : at)
                .map(at -> at.isBefore(now) ? now : at);
    }

    private static Optional<Instant> instant(String text, Instant now) {
        if (text.matches("\\d{1," + DIGITS_MAX + "}")) {
            return Optional.of(now.plusSeconds(Long.parseLong(text)));
        }
        try {
            return Optional.of(ZonedDateTime.parse(text, DateTimeFormatter.RFC_1123_DATE_TIME)
                    .toInstant());
        } catch (DateTimeParseException e) {
            return Optional.empty(); // as if it had not been sent
        }
    }
}
