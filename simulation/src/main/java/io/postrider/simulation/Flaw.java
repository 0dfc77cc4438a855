package io.postrider.simulation;

/** What is wrong with an event's data, as far as a store is concerned. */
enum Flaw {
    NONE,
    /** No event can be made of what the log has. */
    UNREADABLE,
    /** A delivery row that says how it failed is refused. */
    UNSPEAKABLE,
    /** Any delivery row with which it would wait is refused. */
    UNPARKABLE
}
