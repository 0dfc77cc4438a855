package io.postrider.redis;

import io.lettuce.core.RedisCommandExecutionException;
import io.postrider.destination.Outcome;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.TimeoutException;

/**
 * What an error of Redis means for an event. Redis begins each with a word that names its kind.
 *
 * <p>A word that is not listed is a retry: it counts attempts and so comes to an end, with the server's words.
 */
final class Refusals {
    /** Of this event or its key, whatever the condition of the server. */
    private static final Set<String> OF_THE_EVENT = Set.of("WRONGTYPE", "NOPERM");
    /** Of everything at present. */
    private static final Set<String> OF_THE_SERVER = Set.of(
            "OOM",
            "READONLY",
            "LOADING",
            "CLUSTERDOWN",
            "MASTERDOWN",
            "MISCONF",
            "NOREPLICAS",
            "BUSY",
            "TRYAGAIN",
            "MOVED",
            "ASK",
            "NOSCRIPT",
            "NOAUTH",
            "WRONGPASS",
            "UNBLOCKED");

    private static final Set<String> OF_THE_LOGIN = Set.of("NOAUTH", "WRONGPASS");

    private Refusals() {}

    /**
     * What a command that failed in this way came to; without an answer nobody knows, so the server counts as down.
     *
     * @param place where the event was to go: {@code the stream 'orders'}
     */
    static Outcome outcome(String place, Throwable error) {
        String words = words(error);
        String kind = kind(words);
        if (!isRefusal(error) || OF_THE_SERVER.contains(kind)) {
            return Outcome.down(words);
        }
        String why = "Redis refuses " + place + ": " + words;
        return OF_THE_EVENT.contains(kind) ? Outcome.dead(why) : Outcome.retry(why);
    }

    /** Whether the server has answered, and does not want it. */
    static boolean isRefusal(Throwable error) {
        return cause(error) instanceof RedisCommandExecutionException;
    }

    /** Whether there was no answer at all. */
    static boolean isSilence(Throwable error) {
        return cause(error) instanceof TimeoutException;
    }

    static boolean is(Throwable error, String kind) {
        return isRefusal(error) && kind(words(error)).equals(kind);
    }

    /** Whether no waiting heals it: somebody has to change the setup, here or there. */
    static boolean isOfTheSetup(Throwable error) {
        return cause(error) instanceof IllegalArgumentException || OF_THE_LOGIN.contains(kind(words(error)));
    }

    /** The words of the innermost cause. */
    static String words(Throwable error) {
        Throwable cause = cause(error);
        String message = cause.getMessage();
        if (cause instanceof TimeoutException) {
            return "no answer in time";
        }
        if (cause instanceof CancellationException) {
            return "the connection was lost";
        }
        return message == null ? cause.getClass().getSimpleName() : message;
    }

    private static String kind(String words) {
        int end = words.indexOf(' ');
        return end < 0 ? words : words.substring(0, end);
    }

    private static Throwable cause(Throwable error) {
        Throwable cause = error;
        while (cause.getCause() != null && cause.getCause() != cause) {
            cause = cause.getCause();
        }
        return cause;
    }
}
