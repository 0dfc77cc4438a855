package io.postrider.spi;

import io.postrider.Position;

/** What a person decides about an event that was buried. The lane's owner learns of it with its next renewal. */
public interface Operate {

    /** Puts a dead event back: it is retried from its first attempt, in its place before later ones of its key. */
    boolean replay(String subscription, Position position);

    /** Lets a dead event go: it no longer blocks its key, and is counted as discarded. */
    boolean discard(String subscription, Position position);
}
