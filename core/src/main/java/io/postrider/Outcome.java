package io.postrider;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** What a dispatch came to. Closed: produced once by a destination or the engine, interpreted once by the settle. */
public sealed interface Outcome {

    Outcome DELIVERED = new Delivered(null);
    Outcome SKIPPED = new Skipped();
    Outcome EXPIRED = new Expired();

    /** It failed and may be tried again; the retry policy says when, and whether there is an attempt left. */
    static Outcome retry(String why) {
        return new Retry(null, why);
    }

    /** It was not sent, because its turn did not come: that is no attempt. It is tried again at this time, or soon. */
    static Outcome postponed(@Nullable Instant at, String why) {
        return new Retry(at, why, false);
    }

    /** Whether an attempt failed that may be followed by another. */
    static boolean failed(Outcome outcome) {
        return outcome instanceof Retry retry && retry.counts();
    }

    static Outcome dead(String why) {
        return new Dead(why);
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
     */
    record Retry(@Nullable Instant at, String why, boolean counts) implements Outcome {
        public Retry(@Nullable Instant at, String why) {
            this(at, why, true);
        }
    }

    /** Never to be tried again unless someone decides so. */
    record Dead(String why) implements Outcome {}

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
