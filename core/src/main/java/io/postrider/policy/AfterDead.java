package io.postrider.policy;

/** The fate of the events that follow a dead one of the same key. */
public enum AfterDead {
    /** They are delivered. */
    GO_ON,
    /** They stay blocked until someone replays or discards the dead one. */
    STAY_BLOCKED
}
