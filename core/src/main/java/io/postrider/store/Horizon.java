package io.postrider.store;

import io.postrider.Position;

/** The part of a log in which nothing changes any more but by prune. */
public interface Horizon {

    /**
     * Looks, and answers the position up to which the log is decided: each event at or below it is committed and
     * visible to every read that begins from now on, or never will be there. Plain positions up to it are safe tokens,
     * across keys and lanes.
     *
     * <p>A transaction that has appended and not ended holds the horizon back, sooner or later than its own position;
     * any other open transaction does not. The horizon moves in steps: a look notes the head of the log, and a later
     * one answers it once the transactions have ended that were appending then. Without such transactions one look is
     * enough. It never goes back, unless the database itself does.
     */
    Position stable();
}
