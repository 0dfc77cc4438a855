package io.postrider.store;

import io.postrider.operate.Drop;
import io.postrider.policy.Retention;
import java.time.Duration;
import java.util.List;

/** What becomes of events that did not get through, with time. */
public interface Retain {
    /** Rows of each kind that one sweep takes at most. */
    int SWEPT_MAX = 1_000;
    /** Records of each kind that one call forgets at most. */
    int FORGOTTEN_MAX = 10_000;

    /**
     * Moves the subscription's dead rows if its retention says so, and lets go what is kept longer than that: counted
     * as discarded, with a record. Each kind by one write that rows, counts and record share.
     */
    Swept sweep(String subscription, Retention retention);

    /**
     * Forgets records that are older than that, some of each kind: entries of the audit, operations after their end
     * with what they noted of each event, and the records of what was let go. Operations that go on are kept.
     *
     * @return whether a further call may find as many again
     */
    boolean forget(Kept kept);

    /** How long records are kept. */
    record Kept(Duration audit, Duration operations, Duration drops) {}

    /** The records of what was let go, the latest first; they outlive the subscription. */
    List<Drop> drops(String subscription, int limit);

    /**
     * What a sweep did.
     *
     * @param moved dead rows that were moved
     * @param more whether a further sweep may find as many again
     */
    record Swept(int moved, List<Drop> drops, boolean more) {
        public Swept {
            drops = List.copyOf(drops);
        }
    }
}
