package io.postrider.operate;

/** What operators see and decide of a store. {@link Operator} is the way to it. */
public interface Operable {

    /** The name of its log, such as {@code outbox} or {@code inbox}: metrics are told apart by it. */
    String log();

    /** Ledgers, progress, delivery rows. */
    Browse browse();

    /** Finds events, and tells what became of them. */
    Search search();

    /** Decisions about events, subscriptions and nodes. */
    Operate operate();

    /** Decisions about many events. */
    Operations operations();

    /** The decisions that were made. */
    Audit audit();

    /** Dead events that are kept apart. */
    DeadEvents deadEvents();
}
