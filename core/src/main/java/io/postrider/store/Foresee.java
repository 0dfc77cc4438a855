package io.postrider.store;

import io.postrider.operate.Counts;
import java.time.Instant;
import java.util.List;

/** Looks ahead, cheaply: at a few of the events that wait and will expire. The log is never counted. */
public interface Foresee {

    /**
     * What the subscription takes and has not read yet, unless it had expired when it was appended: near its cursors
     * and ever farther from them.
     */
    Outlook events(String subscription);

    /** The tasks of a queue that nobody has claimed, as if those that expire first went first. */
    Outlook tasks(String subscription);

    /**
     * What is ahead.
     *
     * @param counts of the subscription, so that two looks tell its rate
     */
    record Outlook(Counts counts, List<Waiting> waiting) {
        public Outlook {
            waiting = List.copyOf(waiting);
        }
    }

    /**
     * One that waits.
     *
     * @param before how many come before it, roughly
     */
    record Waiting(long before, Instant expiresAt) {}
}
