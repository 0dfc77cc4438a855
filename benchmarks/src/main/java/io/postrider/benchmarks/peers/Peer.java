package io.postrider.benchmarks.peers;

import java.util.Optional;

/** A carrier that is not ours: it takes its events out of one table, row by row. */
public interface Peer extends Carrier {

    /** The table that holds its events. */
    String table();

    /** Those not yet delivered, to be counted. */
    String undelivered();

    /** Whether it runs in a Spring application; such need longest for an event. */
    boolean usesSpring();

    /** Whether it delivers while its application still starts, so that a drain begins with the first event. */
    boolean startsSlowly();

    /** Why it has no history of delivered events; empty if it keeps them. */
    Optional<String> history();

    /** What it does when several handlers want the same event. */
    String severalHandlers();
}
