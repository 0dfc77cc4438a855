package io.postrider.operate;

/** What is to become of a subscription's dead and waiting events when it is removed. */
public enum Removal {
    /** The removal is refused while there are any. */
    UNLESS_ANY_LEFT,
    /** They are dropped with the subscription: the log has the events, but nobody delivers them any more. */
    DROPPING
}
