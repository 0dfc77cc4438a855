package io.postrider;

/** When a transaction that Postrider opens writes the events that are appended in it. */
public enum AppendMode {
    /** By the append itself, which fails if the log refuses an event. */
    AT_ONCE,

    /**
     * Together with the commit, in one round trip. An event that the log refuses fails the commit, and everything is
     * undone. Within the transaction no statement finds its own events in the log.
     *
     * <p>An event is written at once all the same where waiting could change what is committed: before the first
     * statement of the transaction, and from its first savepoint on.
     */
    WITH_COMMIT
}
