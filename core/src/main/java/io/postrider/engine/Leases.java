package io.postrider.engine;

import java.time.Duration;

/** When leases are renewed, of nodes and of tasks. */
final class Leases {
    /** A lease is renewed this often while it lasts. */
    private static final int RENEWALS = 3;

    private Leases() {}

    /** The pause between two renewals. */
    static Duration pause(Duration lease) {
        return lease.dividedBy(RENEWALS);
    }
}
