package io.postrider.policy;

/** Where the dead events of a subscription are kept. Whoever lists, replays or discards them sees no difference. */
public enum DeadLetters {
    /** In their delivery rows. */
    IN_PLACE,
    /** Moved to the table {@code dead_events}, whole and with what became of them. */
    MOVED
}
