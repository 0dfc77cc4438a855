package io.postrider.spi;

import io.postrider.Position;

/**
 * What a person decides about an event that was buried or has expired. The ledger shows it at once; the lane's owner
 * learns of it with its next renewal.
 */
public interface Operate {

    /**
     * Puts a dead or expired event back: it is retried from its first attempt, in its place before later ones of its
     * key, and does not expire any more.
     */
    boolean replay(String subscription, Position position);

    /** Lets a dead or expired event go: it no longer blocks its key, and is counted as discarded. */
    boolean discard(String subscription, Position position);
}
