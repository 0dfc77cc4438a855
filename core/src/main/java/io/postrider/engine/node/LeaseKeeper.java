package io.postrider.engine.node;

import io.postrider.Environment;
import io.postrider.engine.base.LateRenewals;
import io.postrider.engine.base.Lease;
import io.postrider.engine.base.Outage;
import io.postrider.engine.base.Stumbles;
import io.postrider.store.Renew;
import io.postrider.store.StoreException;
import io.postrider.text.Failure;
import io.postrider.text.Logs;
import org.slf4j.Logger;

/**
 * Keeps a node's lease while its renewal is late. A renewal shares its thread with claims, which may wait for a
 * connection for longer than a lease lasts; the keeper waits for nobody. While the store counts as down, or once no
 * renewal has been answered for {@value #PATIENCE} leases, the lease may run out: a node that gets nothing done must
 * not keep its lanes from others. Thread-safe.
 */
final class LeaseKeeper {
    private static final Logger LOG = Logs.of(LeaseKeeper.class);
    /** Looks in half a lease; a lease of that age should have been renewed. */
    private static final int LOOKS = 3;
    /** Leases without an answered renewal, after which a call that the node waits for counts as hung. */
    static final int PATIENCE = 5;

    private final Renew store;
    private final String node;
    private final Environment environment;
    private final Lease lease;
    private final Outage outage;
    private final LateRenewals late;
    private final Stumbles stumbles;
    private volatile boolean stopped;
    private boolean hungTold;
    private volatile Environment.Timer timer = () -> {};

    LeaseKeeper(Renew store, String node, Environment environment, Lease lease, Outage outage, LateRenewals late) {
        this.store = store;
        this.node = node;
        this.environment = environment;
        this.lease = lease;
        this.outage = outage;
        this.late = late;
        this.stumbles = new Stumbles(LOG, environment);
    }

    void start() {
        if (!stopped) {
            timer = environment.scheduleRenewal(lease.length().dividedBy(2L * LOOKS), this::look);
        }
    }

    void stop() {
        stopped = true;
        timer.cancel();
    }

    /** Gives the lease up, so that others go on at once. */
    void leave() {
        try {
            store.leave(node);
        } catch (Throwable e) {
            LOG.warn("Node {} could not give up its lease, which ends by itself: {}", node, Failure.message(e));
        }
    }

    private void look() {
        try {
            if (!stopped && !outage.isDown() && lease.isHeld()) {
                extendIfLate();
            }
        } catch (StoreException e) {
            LOG.debug("The lease of node {} could not be extended; its renewal goes on trying", node, e);
        } catch (Throwable e) {
            stumbles.tell("Extending the lease of node " + node + " failed unexpectedly; it is tried again", e);
        } finally {
            start();
        }
    }

    private void extendIfLate() {
        boolean hung = lease.sinceRenewal().compareTo(lease.length().multipliedBy(PATIENCE)) > 0;
        tellHung(hung);
        if (hung || lease.age().compareTo(lease.length().dividedBy(2)) < 0) {
            return;
        }
        long term = lease.term();
        long sent = environment.nanos();
        if (store.extend(node, lease.length())) {
            lease.extended(sent, term);
            late.renewed("node " + node, lease.sinceRenewal(), lease.length());
        }
    }

    private void tellHung(boolean hung) {
        if (hung && !hungTold) {
            LOG.error(
                    "Node {} has waited {} for a call of the store; its lease is not extended any longer, and other"
                            + " nodes take its lanes. A connection that fell silent is found by a socketTimeout of the"
                            + " driver",
                    node,
                    lease.sinceRenewal());
        }
        hungTold = hung;
    }
}
