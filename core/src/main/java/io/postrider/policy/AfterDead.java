package io.postrider.policy;

/** The fate of the events that follow a dead one of the same key. */
public enum AfterDead {
    /** The following events are delivered. */
    GO_ON,
    /** The following events stay blocked until an operator replays or discards the dead one. */
    STAY_BLOCKED
}
