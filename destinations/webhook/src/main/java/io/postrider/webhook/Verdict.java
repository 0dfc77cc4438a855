package io.postrider.webhook;

import io.postrider.destination.Outcome;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;

/** Turns the answer of an endpoint into an outcome. */
final class Verdict {
    /**
     * The refusals that are about this one event: its content, its size, its place. Every other refusal is about the
     * endpoint (a wrong secret, a moved path, a limit), which somebody will mend, so the event waits for that.
     */
    private static final Set<Integer> REFUSES_THE_EVENT = Set.of(400, 409, 411, 413, 415, 422);

    private static final int GONE = 410;
    /** The redirects after which a request is sent again as it was. */
    private static final Set<Integer> SAME_METHOD = Set.of(307, 308);

    private Verdict() {}

    static Outcome of(HttpTarget target, HttpAnswer answer, Instant now, Duration retryAfterMax) {
        int status = answer.status();
        if (status / 100 == 2) {
            return Outcome.DELIVERED;
        }
        if (status == GONE) {
            return Outcome.dead(words(target, answer) + ": the endpoint wants no more webhooks");
        }
        if (REFUSES_THE_EVENT.contains(status)) {
            return Outcome.dead(words(target, answer));
        }
        Instant at = answer.header("retry-after")
                .flatMap(text -> RetryAfter.read(text, now, retryAfterMax))
                .orElse(null);
        return new Outcome.Retry(
                at, words(target, answer) + (answer.isRedirect() ? ": this redirect is not followed" : ""));
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
