package io.postrider.store;

import io.postrider.Lane;
import java.util.Map;
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
    record News(Map<Lane, Commits> lanes, Set<String> unowned, Cursor cursor) {
        public News {
            lanes = Map.copyOf(lanes);
            unowned = Set.copyOf(unowned);
        }
    }

    /**
     * The commits that a look found in one lane, in the terms of the store. The engine only asks whether the lane has
     * read them by itself meanwhile, as it does after a commit of its own node: then nobody wakes it.
     */
    @FunctionalInterface
    interface Commits {
        /** Commits that no lane can have read by itself. */
        Commits UNREAD = (reader, reached) -> false;

        /**
         * Whether a lane has read every one of these commits. A store that does not know answers false: a lane that is
         * woken in vain loses a read, and one that is left asleep in error keeps its events waiting.
         *
         * @param reader the lane as its owner has it
         * @param reached the lane's cursor, were everything handled that its last read found
         */
        boolean areRead(Ownership reader, Cursor reached);
    }
}
