package io.postrider.webhook;

import io.postrider.Outcome;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;

/** What an answer means. */
final class Verdict {
    private static final Set<Integer> TRY_AGAIN = Set.of(408, 425, 429);
    private static final int GONE = 410;
    /** The redirects after which a request is sent again as it was. */
    private static final Set<Integer> SAME_METHOD = Set.of(307, 308);

    private Verdict() {}

    static Outcome of(HttpTarget target, HttpAnswer answer, Instant now, Duration retryAfterMax) {
        int status = answer.status();
        if (status / 100 == 2) {
            return Outcome.DELIVERED;
        }
        if (TRY_AGAIN.contains(status) || status / 100 == 5) {
            Instant at = answer.header("retry-after")
                    .flatMap(text -> RetryAfter.read(text, now, retryAfterMax))
                    .orElse(null);
            return new Outcome.Retry(at, words(target, answer));
        }
        if (answer.isRedirect()) {
            return Outcome.dead(words(target, answer) + ": this redirect is not followed");
        }
        return Outcome.dead(words(target, answer) + (status == GONE ? ": the endpoint wants no more webhooks" : ""));
    }

    private static String words(HttpTarget target, HttpAnswer answer) {
        String said = answer.body().isEmpty() ? "" : ": " + answer.body();
        return target + " answered " + answer.status() + said;
    }

    /** Where to send the request again, if the answer says so and it is the same https origin. */
    static Optional<HttpTarget> follow(HttpTarget from, HttpAnswer answer) {
        if (!SAME_METHOD.contains(answer.status()) || !from.tls()) {
            return Optional.empty();
        }
        return answer.header("location").flatMap(to -> target(from, to)).filter(from::sameOrigin);
    }

    private static Optional<HttpTarget> target(HttpTarget from, String location) {
        try {
            URI base = URI.create("https://" + from.authority() + from.path());
            return Optional.of(HttpTarget.of(base.resolve(location)));
        } catch (IllegalArgumentException e) {
            return Optional.empty(); // it leads nowhere
        }
    }
}
