package io.postrider.destination;

import io.postrider.text.Failure;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** The result of a dispatch. Closed: produced once by a destination or the engine, interpreted once by the settle. */
public sealed interface Outcome {

    Outcome DELIVERED = new Delivered(null);
    Outcome SKIPPED = new Skipped();
    Outcome EXPIRED = new Expired();

    /** The attempt failed and may be repeated; the retry policy says when, and whether an attempt is left. */
    static Outcome retry(String why) {
        return new Retry(null, why);
    }

    /** The same, because of an exception. */
    static Outcome retry(Throwable cause) {
        Throwable told = Failure.tellable(cause);
        return new Retry(null, Failure.words(told), true, told);
    }

    /** The event was not sent, as its turn did not come: no attempt counts. The next try is at this time, or soon. */
    static Outcome postponed(@Nullable Instant at, String why) {
        return new Retry(at, why, false, null);
    }

    /** Whether an attempt failed that may be followed by another. */
    static boolean failed(Outcome outcome) {
        return outcome instanceof Retry retry && retry.counts();
    }

    static Outcome dead(String why) {
        return new Dead(why, null);
    }

    /** The same, because of an exception. */
    static Outcome dead(Throwable cause) {
        Throwable told = Failure.tellable(cause);
        return new Dead(Failure.words(told), told);
    }

    /** The exception that led to it, if one did. */
    static @Nullable Throwable cause(Outcome outcome) {
        if (outcome instanceof Retry retry) {
            return retry.cause();
        }
        return outcome instanceof Dead dead ? dead.cause() : null;
    }

    /** Nobody is there to take it. */
    static Outcome down(String why) {
        return new Down(why);
    }

    /** The destination has it, and says where, if it does. */
    record Delivered(@Nullable Receipt receipt) implements Outcome {}

    /**
     * To be tried again, at this time if the destination knows one.
     *
     * @param counts whether it was an attempt
     * @param cause the exception that led to it, if one did
     */
    record Retry(
            @Nullable Instant at,
            String why,
            boolean counts,
            @Nullable Throwable cause) implements Outcome {
        public Retry {
            cause = cause == null ? null : Failure.tellable(cause);
        }

        public Retry(@Nullable Instant at, String why) {
            this(at, why, true, null);
        }
    }

    /**
     * Never to be tried again unless someone decides so.
     *
     * @param cause the exception that led to it, if one did
     */
    record Dead(String why, @Nullable Throwable cause) implements Outcome {
        public Dead {
            cause = cause == null ? null : Failure.tellable(cause);
        }
    }

    /** Its time had passed before it was dispatched. */
    record Expired() implements Outcome {}

    /** The subscription's filter does not match it. */
    record Skipped() implements Outcome {}

    /**
     * The destination is down, or has not said whether it has it: that is no fault of the event's, which is dispatched
     * again when the destination is back, and no attempt is counted. It never settles.
     */
    record Down(String why) implements Outcome {}
}
