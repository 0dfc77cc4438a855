package io.postrider;

/**
 * How many events of a lane came to what, since the subscription began. {@code parked} is how many have a delivery row
 * that is not dead now; the others only grow, but for {@code dead}, which falls when someone replays or discards.
 */
public record Counts(long delivered, long skipped, long parked, long dead, long expired, long discarded) {

    public static final Counts NONE = new Counts(0, 0, 0, 0, 0, 0);

    public Counts plus(Counts other) {
        return new Counts(
                delivered + other.delivered,
                skipped + other.skipped,
                parked + other.parked,
                dead + other.dead,
                expired + other.expired,
                discarded + other.discarded);
    }

    /** Every event that was read and has not been forgotten: the settled side of the ledger. */
    public long total() {
        return delivered + skipped + parked + dead + expired + discarded;
    }
}
