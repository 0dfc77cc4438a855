package io.postrider.engine.base;

import java.time.Duration;

/** When leases are renewed, of nodes and of tasks. */
public final class Leases {
    /** A lease is renewed this often while it lasts. */
    private static final int RENEWALS = 3;

    private Leases() {}

    /** The pause between two renewals. */
    public static Duration pause(Duration lease) {
        return lease.dividedBy(RENEWALS);
    }
}
