package io.postrider.engine.operation;

import io.postrider.Environment;
import io.postrider.engine.base.Chores;
import io.postrider.engine.base.Observers;
import io.postrider.engine.dispatch.NodeParts;
import io.postrider.engine.dispatch.SubscriptionSpec;
import io.postrider.observe.Observation;
import io.postrider.store.Retain;
import io.postrider.store.Store;
import io.postrider.text.Logs;
import org.slf4j.Logger;

/**
 * What a subscription needs now and then beside its deliveries: its retention carried out, dead events replayed by
 * schedule, and a look at what will expire. All of it may take long where much has died, so no renewal waits for it. By
 * one thread at a time, but for {@link #expiring}.
 */
public final class Upkeep {
    private static final Logger LOG = Logs.of(Upkeep.class);
    /** Sweeps in a row, so that nothing else waits for long behind a large one. */
    private static final int SWEEPS_MAX = 100;

    private final Store<?> store;
    private final SubscriptionSpec spec;
    private final Observers observers;
    private final Reprocessor reprocessor;
    private final Foresight foresight;
    private final Chores chores;
    private volatile boolean expiring;

    public Upkeep(Store<?> store, Environment environment, SubscriptionSpec spec, NodeParts shared) {
        this.store = store;
        this.spec = spec;
        this.observers = shared.observers();
        this.reprocessor = new Reprocessor(store, environment, spec);
        this.foresight = new Foresight(environment, spec, observers);
        this.chores = new Chores(shared.outage());
    }

    /** Its events expire; as long as none does, nobody has to look ahead. */
    public void expiring() {
        expiring = true;
    }

    public void run(boolean paused) {
        if (spec.retention().sweeps()) {
            chores.run("what '" + spec.name() + "' need not keep any more stays", this::sweep);
        }
        if (!paused) {
            chores.run("no dead events of '" + spec.name() + "' are replayed by schedule", reprocessor::look);
        }
        if (spec.isQueue() || expiring) {
            chores.run(
                    "nobody is warned that events of '" + spec.name() + "' will expire",
                    () -> foresight.look(store.foresee()));
        }
    }

    private void sweep() {
        Retain retain = store.retain();
        boolean more = true;
        for (int sweeps = 0; more && sweeps < SWEEPS_MAX; sweeps++) {
            Retain.Swept swept = retain.sweep(spec.name(), spec.retention());
            swept.drops().forEach(drop -> {
                LOG.info("Retention has let {} go", drop);
                observers.observe(new Observation.Dropped(drop));
            });
            more = swept.more();
        }
    }
}
