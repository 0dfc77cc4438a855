package io.postrider.operate;

/**
 * How many events of a subscription came to what, since it began. {@code parked} is how many have a delivery row that
 * waits now; the others only grow, but for those that fall when someone replays or discards. Those of a lane alone
 * count what its owners did, so that a decision from outside may leave them below zero; the sum over lanes and tallies
 * is exact.
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

    /** A dead or expired event that an operator has put back. */
    public static Counts replayed(boolean expired) {
        return new Counts(0, 0, 1, expired ? 0 : -1, expired ? -1 : 0, 0);
    }

    /** A skipped or delivered event that an operator has put back. */
    public static Counts replayedSettled(boolean skipped) {
        return new Counts(skipped ? 0 : -1, skipped ? -1 : 0, 1, 0, 0, 0);
    }

    /** A dead or expired event that an operator has let go. */
    public static Counts discarded(boolean expired) {
        return new Counts(0, 0, 0, expired ? 0 : -1, expired ? -1 : 0, 1);
    }

    /** Every event that was read and has not been forgotten: the settled side of the ledger. */
    public long total() {
        return delivered + skipped + parked + dead + expired + discarded;
    }
}
