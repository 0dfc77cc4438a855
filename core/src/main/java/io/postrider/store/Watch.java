package io.postrider.store;

import io.postrider.Lane;
import java.util.Set;

/** Looks for news in a log, for all subscriptions of a node at once: polling, which alone is always correct. */
public interface Watch {

    /** The lanes that have had a commit behind this cursor, and the cursor for the next look. */
    News watch(Cursor cursor);

    /** Where a node that has just started begins to watch. */
    Cursor now();

    /**
     * What a look found.
     *
     * @param lanes those with commits that the cursor had not seen
     * @param unowned subscriptions with a lane that was handed back and that nobody has taken yet
     */
    record News(Set<Lane> lanes, Set<String> unowned, Cursor cursor) {
        public News {
            lanes = Set.copyOf(lanes);
            unowned = Set.copyOf(unowned);
        }
    }
}
