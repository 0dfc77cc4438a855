package io.postrider.engine.operation;

import io.postrider.engine.base.Chores;
import io.postrider.engine.base.Observers;
import io.postrider.engine.base.Outage;
import io.postrider.observe.Observation;
import io.postrider.policy.NodeLimits;
import io.postrider.store.Prune;
import io.postrider.store.Retain;
import io.postrider.store.Store;
import io.postrider.text.Logs;
import org.slf4j.Logger;

/** Lets go what a node's log has kept for long enough. Not thread-safe: the node guards it. */
public final class Pruner {
    private static final Logger LOG = Logs.of(Pruner.class);
    /** Empty segments that are worth a warning. */
    private static final int UNDROPPED_MANY = 16;
    /** Open transactions that a warning names. */
    private static final int OPEN_SHOWN = 3;
    /** Calls in a row that forget old records, so that nothing else waits for long behind many. */
    private static final int FORGETS_MAX = 10;

    private final Store<?> store;
    private final NodeLimits limits;
    private final Observers observers;
    private final Chores upkeep;
    private boolean undroppedSaid;

    public Pruner(Store<?> store, NodeLimits limits, Observers observers, Outage outage) {
        this.store = store;
        this.limits = limits;
        this.observers = observers;
        this.upkeep = new Chores(outage);
    }

    public void prune() {
        upkeep.run("old segments stay", this::pruneLog);
        upkeep.run(
                "old records of what was processed stay",
                () -> store.processed().forget(limits.processedFor()));
        upkeep.run(
                "old records of what was received stay", () -> store.receive().forget(limits.receivedFor()));
        upkeep.run("old records of decisions stay", this::forgetRecords);
    }

    private void forgetRecords() {
        Retain.Kept kept = new Retain.Kept(limits.auditFor(), limits.operationsFor(), limits.dropsFor());
        int calls = 1;
        while (store.retain().forget(kept) && calls < FORGETS_MAX) {
            calls++;
        }
    }

    private void pruneLog() {
        Prune.Pruned pruned = store.prune().prune(limits.retain());
        observers.observe(
                new Observation.Pruned(pruned.created(), pruned.dropped(), pruned.segments(), pruned.undropped()));
        if (pruned.undropped() >= UNDROPPED_MANY && !undroppedSaid) {
            LOG.warn(
                    "{} empty segments of the log could not be dropped, because appends were open whenever it was"
                            + " tried. Nothing is lost and their space is free, but each of them is a table. Let"
                            + " transactions that append end sooner; open just now: {}",
                    pruned.undropped(),
                    store.browse().openAppends(OPEN_SHOWN));
        }
        undroppedSaid = pruned.undropped() >= UNDROPPED_MANY;
    }
}
