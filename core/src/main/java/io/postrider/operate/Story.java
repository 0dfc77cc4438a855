package io.postrider.operate;

import io.postrider.StoredEvent;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** An event and its way through every subscription, by their names. */
public record Story(StoredEvent event, List<Standing> standings) {

    public Story {
        standings = List.copyOf(standings);
    }

    /**
     * One subscription's part.
     *
     * @param why where the event stands now
     * @param attempts what was tried, in order. Only of events that had a delivery row: one that was delivered at once
     *     has no more to tell than when
     */
    public record Standing(String subscription, Why why, List<Attempt> attempts) {
        public Standing {
            attempts = List.copyOf(attempts);
        }
    }

    /**
     * Something that was tried, or decided.
     *
     * @param number of the attempt; a replay begins anew
     * @param who the node that had it, or the operator who decided; null if that is not known
     * @param stack where it failed, at most {@link io.postrider.text.Failure#STACK_MAX} characters; null where no
     *     exception led to it
     */
    public record Attempt(
            int number,
            Ending ending,
            @Nullable String error,
            @Nullable String who,
            Instant at,
            @Nullable String stack) {

        /** One to which no exception led. */
        public Attempt(int number, Ending ending, @Nullable String error, @Nullable String who, Instant at) {
            this(number, ending, error, who, at, null);
        }
    }

    /** What an attempt came to. */
    public enum Ending {
        /** It failed, and another attempt was to follow. */
        RETRYING,
        /** The node that ran it ended, or lost it. */
        LOST,
        DEAD,
        EXPIRED,
        DELIVERED,
        SKIPPED,
        /** An operator put it back. */
        REPLAYED,
        /** An operator let it go. */
        DISCARDED
    }
}
