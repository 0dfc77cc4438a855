package io.postrider.simulation;

import io.postrider.store.Claim;
import java.time.Instant;
import java.util.function.Supplier;

/** The oracle's books of what is due: no row of a lane is claimed before its time, on the store's clock. */
final class DueBooks {
    private final Oracle oracle;
    private final Supplier<Instant> storeNow;
    private boolean wentBack;

    DueBooks(Oracle oracle, Supplier<Instant> storeNow) {
        this.oracle = oracle;
        this.storeNow = storeNow;
    }

    /** Nodes learn of a clock that was put back with their next renewals, and rows have times that come again. */
    void clockWentBack() {
        wentBack = true;
    }

    void claimed(String node, Claim.ClaimedDelivery row) {
        Instant due = row.delivery().dueAt();
        if (!wentBack && row.claim() == Claim.ClaimedDelivery.BY_LANE && due.isAfter(storeNow.get())) {
            throw oracle.fail(
                    "11: %s claims %s at %s, although it is due at %s",
                    node, row.delivery().id(), storeNow.get(), due);
        }
    }
}
