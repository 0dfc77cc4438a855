package io.postrider.destination;

import io.postrider.text.Thrown;
import java.time.Instant;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The result of a dispatch, made by a destination or the engine. Closed: a decision about outcomes is a {@link #match},
 * so that a further outcome does not compile until each place has decided about it.
 */
public sealed interface Outcome {

    <R> R match(Cases<R> cases);

    /** A method for each outcome. */
    interface Cases<R> {
        R delivered(Delivered outcome);

        R retry(Retry outcome);

        R dead(Dead outcome);

        R expired(Expired outcome);

        R skipped(Skipped outcome);

        R down(Down outcome);
    }

    Outcome DELIVERED = new Delivered(null);
    Outcome SKIPPED = new Skipped();
    Outcome EXPIRED = new Expired();

    /** The attempt failed and may be repeated; the retry policy says when, and whether an attempt is left. */
    static Outcome retry(String why) {
        return new Retry(null, why);
    }

    /** The same, because of an exception. */
    static Outcome retry(Throwable cause) {
        Thrown thrown = Thrown.of(cause);
        return new Retry(null, thrown.words(), true, thrown);
    }

    /** The event was not sent, as its turn did not come: no attempt counts. The next try is at this time, or soon. */
    static Outcome postponed(@Nullable Instant at, String why) {
        return new Retry(at, why, false, null);
    }

    static Outcome dead(String why) {
        return new Dead(why, null);
    }

    /** The same, because of an exception. */
    static Outcome dead(Throwable cause) {
        Thrown thrown = Thrown.of(cause);
        return new Dead(thrown.words(), thrown);
    }

    /** Nobody is there to take it. */
    static Outcome down(String why) {
        return new Down(why);
    }

    // ---- questions that need no decision ----------------------------------------------------------------------------

    default boolean isDelivered() {
        return this instanceof Delivered;
    }

    default boolean isDead() {
        return this instanceof Dead;
    }

    default boolean isDown() {
        return this instanceof Down;
    }

    /** Whether an attempt failed that may be followed by another. */
    default boolean isFailedAttempt() {
        return this instanceof Retry retry && retry.counts();
    }

    /** Whether the event goes back as it was: no attempt of it was made. */
    default boolean isPutOff() {
        return isDown() || (this instanceof Retry retry && !retry.counts());
    }

    /** The place of the event at its destination, if that told one. */
    default @Nullable Receipt receipt() {
        return null;
    }

    /** The reason, where there is one. */
    default @Nullable String why() {
        return null;
    }

    /** What was thrown and led to it, if anything was. */
    default @Nullable Thrown thrown() {
        return null;
    }

    /** The exception that led to it, if one did; its methods are the host's, and may fail. */
    default @Nullable Throwable cause() {
        Thrown thrown = thrown();
        return thrown == null ? null : thrown.exception();
    }

    /** The time of the next try, where the destination named one. */
    default @Nullable Instant at() {
        return null;
    }

    /** The same, with the time of the next try as another clock has it. */
    default Outcome onClock(UnaryOperator<Instant> clock) {
        return this instanceof Retry retry && retry.at() != null
                ? new Retry(clock.apply(retry.at()), retry.why(), retry.counts(), retry.thrown())
                : this;
    }

    // ---- the outcomes -----------------------------------------------------------------------------------------------

    /** The destination has it, and says where, if it does. */
    record Delivered(@Nullable Receipt receipt) implements Outcome {
        @Override
        public <R> R match(Cases<R> cases) {
            return cases.delivered(this);
        }
    }

    /**
     * To be tried again, at this time if the destination knows one.
     *
     * @param counts whether it was an attempt
     * @param thrown the exception that led to it, if one did
     */
    record Retry(
            @Nullable Instant at,
            String why,
            boolean counts,
            @Nullable Thrown thrown) implements Outcome {
        @Override
        public <R> R match(Cases<R> cases) {
            return cases.retry(this);
        }

        public Retry(@Nullable Instant at, String why) {
            this(at, why, true, null);
        }
    }

    /**
     * Never to be tried again unless someone decides so.
     *
     * @param thrown the exception that led to it, if one did
     */
    record Dead(String why, @Nullable Thrown thrown) implements Outcome {
        @Override
        public <R> R match(Cases<R> cases) {
            return cases.dead(this);
        }
    }

    /** Its time had passed before it was dispatched. */
    record Expired() implements Outcome {
        @Override
        public <R> R match(Cases<R> cases) {
            return cases.expired(this);
        }
    }

    /** The subscription's filter does not match it. */
    record Skipped() implements Outcome {
        @Override
        public <R> R match(Cases<R> cases) {
            return cases.skipped(this);
        }
    }

    /**
     * The destination is down, or has not said whether it has the event: no fault of the event's, which is put back as
     * it was and dispatched again when the destination is back. No attempt is counted.
     */
    record Down(String why) implements Outcome {
        @Override
        public <R> R match(Cases<R> cases) {
            return cases.down(this);
        }
    }
}
