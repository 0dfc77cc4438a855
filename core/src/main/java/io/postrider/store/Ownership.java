package io.postrider.store;

import io.postrider.Lane;

/**
 * A lane of a subscription, held under an epoch. The epoch is the fencing token: a newer one makes this one void.
 *
 * @param incarnation names the stretch of the store's life in which the lane was claimed. A store that recovers from a
 *     crash may hand out positions and transaction ids a second time, so what was read before is void after it
 */
public record Ownership(String subscription, Lane lane, long epoch, String incarnation) {
    /** For the log, as the beginning of a sentence. */
    public String inWords() {
        return "Lane " + lane.number() + " of subscription '" + subscription + "', held in epoch " + epoch + ",";
    }

    @Override
    public String toString() {
        return subscription + "/" + lane + "@" + epoch;
    }
}
