package io.postrider.webhook;

import java.time.Duration;

/**
 * Every quantity that is bounded for one endpoint.
 *
 * @param concurrency requests under way at once
 * @param perSecond requests that begin in a second, evenly spread; {@link #UNLIMITED} for as many as there are
 * @param connectTimeout how long a connection may take, TLS included
 * @param responseTimeout how long a request may take from its first byte to the last of its response
 * @param redirects how many redirects of one request are followed, if they stay within one https origin
 * @param responseBytes bytes of a response that are kept in the reason of a failed attempt
 * @param retryAfterMax the longest time for which an endpoint can ask to be left alone
 * @param keepAlive how long a connection is kept for the next request; zero closes each one
 */
public record EndpointLimits(
        int concurrency,
        int perSecond,
        Duration connectTimeout,
        Duration responseTimeout,
        int redirects,
        int responseBytes,
        Duration retryAfterMax,
        Duration keepAlive) {

    /** As many requests a second as there are. */
    public static final int UNLIMITED = 0;
    /** The most redirects that can be allowed. */
    public static final int REDIRECTS_MAX = 5;
    /** The most bytes of a response that can be kept. */
    public static final int RESPONSE_BYTES_MAX = 64 << 10;

    private static final int CONCURRENCY_MAX = 1_000;
    private static final int PER_SECOND_MAX = 100_000;
    private static final Duration TIMEOUT_MAX = Duration.ofMinutes(10);

    public static final EndpointLimits DEFAULT = new EndpointLimits(
            8,
            UNLIMITED,
            Duration.ofSeconds(5),
            Duration.ofSeconds(20),
            0,
            2 << 10,
            Duration.ofHours(1),
            Duration.ofSeconds(5));

    public EndpointLimits {
        within("concurrency", concurrency, 1, CONCURRENCY_MAX);
        within("perSecond", perSecond, UNLIMITED, PER_SECOND_MAX);
        within("connectTimeout", connectTimeout, Duration.ofMillis(1), TIMEOUT_MAX);
        within("responseTimeout", responseTimeout, Duration.ofMillis(1), TIMEOUT_MAX);
        within("redirects", redirects, 0, REDIRECTS_MAX);
        within("responseBytes", responseBytes, 0, RESPONSE_BYTES_MAX);
        within("retryAfterMax", retryAfterMax, Duration.ZERO, Duration.ofDays(7));
        within("keepAlive", keepAlive, Duration.ZERO, TIMEOUT_MAX);
    }

    public EndpointLimits concurrency(int concurrency) {
        return new EndpointLimits(
                concurrency,
                perSecond,
                connectTimeout,
                responseTimeout,
                redirects,
                responseBytes,
                retryAfterMax,
                keepAlive);
    }

    public EndpointLimits perSecond(int perSecond) {
        return new EndpointLimits(
                concurrency,
                perSecond,
                connectTimeout,
                responseTimeout,
                redirects,
                responseBytes,
                retryAfterMax,
                keepAlive);
    }

    public EndpointLimits timeouts(Duration connectTimeout, Duration responseTimeout) {
        return new EndpointLimits(
                concurrency,
                perSecond,
                connectTimeout,
                responseTimeout,
                redirects,
                responseBytes,
                retryAfterMax,
                keepAlive);
    }

    public EndpointLimits redirects(int redirects) {
        return new EndpointLimits(
                concurrency,
                perSecond,
                connectTimeout,
                responseTimeout,
                redirects,
                responseBytes,
                retryAfterMax,
                keepAlive);
    }

    public EndpointLimits responseBytes(int responseBytes) {
        return new EndpointLimits(
                concurrency,
                perSecond,
                connectTimeout,
                responseTimeout,
                redirects,
                responseBytes,
                retryAfterMax,
                keepAlive);
    }

    public EndpointLimits retryAfterMax(Duration retryAfterMax) {
        return new EndpointLimits(
                concurrency,
                perSecond,
                connectTimeout,
                responseTimeout,
                redirects,
                responseBytes,
                retryAfterMax,
                keepAlive);
    }

    public EndpointLimits keepAlive(Duration keepAlive) {
        return new EndpointLimits(
                concurrency,
                perSecond,
                connectTimeout,
                responseTimeout,
                redirects,
                responseBytes,
                retryAfterMax,
                keepAlive);
    }

    /** How long the last of {@link #concurrency} requests may be without an answer. */
    Duration patience() {
        Duration turn = perSecond == UNLIMITED
                ? Duration.ZERO
                : Duration.ofSeconds(1).multipliedBy(concurrency).dividedBy(perSecond);
        // An unanswered request is followed by one more connection, which tells whether anyone is there.
        return turn.plus(connectTimeout.multipliedBy(2)).plus(responseTimeout.multipliedBy(redirects + 1L));
    }

    static <C extends Comparable<C>> void within(String name, C value, C least, C most) {
        if (value.compareTo(least) < 0 || value.compareTo(most) > 0) {
            throw new IllegalArgumentException(
                    name + " is " + words(least) + " to " + words(most) + ", got " + words(value));
        }
    }

    private static String words(Object value) {
        return value instanceof Duration time ? Time.words(time) : value.toString();
    }
}
