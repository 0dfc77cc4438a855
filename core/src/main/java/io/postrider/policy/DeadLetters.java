package io.postrider.policy;

/** Where the dead events of a subscription are kept. Lists, replays and discards work alike for both places. */
public enum DeadLetters {
    /** In their delivery rows. */
    IN_PLACE,
    /** Moved to the table {@code dead_events}, with error, attempts and time of death. */
    MOVED
}
