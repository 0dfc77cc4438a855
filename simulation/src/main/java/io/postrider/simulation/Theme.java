package io.postrider.simulation;

/** Something that happens in some plans only, so that each run stays short. */
enum Theme {
    /** An {@link Error} thrown by handlers, and in calls of the store. */
    ERRORS,
    /** Data that the store refuses, or cannot read any more. */
    REFUSALS,
    /** Versions of the application, one of which takes more types. */
    DEPLOYMENTS,
    /** The store's clock jumps. */
    STORE_CLOCK,
    /** A subscription that is a queue. */
    QUEUE,
    /** A subscription that settles with the effects of its handlers. */
    WITH_EFFECT,
    /** Operators who replay many events at once. */
    OPERATIONS,
    /** Events that expire, and dead ones that are kept for a while only. */
    RETENTION,
    /** The store crashes while events that it has not flushed are under way, and gives their positions to others. */
    STORE_CRASHES,
    /** Several keys of one lane fail, each with events behind, so that its owner cannot hold all of their rows. */
    HOT_LANE,
    /** The store's clock jumps while tasks of a queue are under way, so that other nodes take them. */
    OVERTAKEN,
    /** Nodes stand still while they hand their lanes back with events under way, so that other nodes take them. */
    HANDED_OVER,
    /** Versions of the application, one of which settles with the effects, and one of which records them. */
    FORMS,
    /** The subscription that settles with its effects handles several events at once. */
    BATCHES
}
