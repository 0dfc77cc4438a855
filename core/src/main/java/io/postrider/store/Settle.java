package io.postrider.store;

/** The fourth verb: what a batch came to is written, or nothing is. */
public interface Settle {

    /**
     * Writes the settlement if the lane is still held under its epoch, and forgets the lane's takeovers.
     *
     * @return false if the lane was lost: nothing was written
     */
    boolean settle(Settlement settlement);
}
