package io.postrider.simulation;

import io.postrider.EventId;
import io.postrider.memory.MemoryStore;
import io.postrider.memory.MemoryTransaction;
import io.postrider.store.Claim;
import io.postrider.store.Store;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;

/** What the processes of a run share. */
final class World {
    private final Scheduler scheduler;
    private final MemoryStore memory;
    private final Store<MemoryTransaction> store;
    private final StoreWeather weather;
    private final Records records;
    private final Oracle oracle;
    private final DueBooks dues;
    private final Trace trace;
    private final SimulatedBroker broker;
    private final SplittableRandom random;
    private final Mutation mutation;
    private final boolean storeClockJumps;
    private final Map<EventId, Behaviour> behaviours = new HashMap<>();
    private long storeDownUntil;
    private Duration storeOffset = Duration.ZERO;

    World(Plan plan, Mutation mutation, boolean traced) {
        this.random = new SplittableRandom(plan.seed() ^ 0x5EED);
        this.mutation = mutation;
        this.storeClockJumps = plan.has(Theme.STORE_CLOCK) || plan.has(Theme.OVERTAKEN);
        this.scheduler = new Scheduler(random.split());
        this.memory = MemoryStore.create(this::storeNow);
        this.store = mutation.mutated(memory);
        this.records = new Records(store.processed());
        this.weather = new StoreWeather(scheduler, random.split());
        this.oracle = new Oracle(scheduler, memory, plan, this::storeNow);
        this.dues = new DueBooks(oracle, this::storeNow);
        this.trace = new Trace(scheduler, traced);
        this.broker = new SimulatedBroker(this);
    }

    Scheduler scheduler() {
        return scheduler;
    }

    /** The store itself, for those who look at it from nowhere. */
    MemoryStore memory() {
        return memory;
    }

    /** The store as processes reach it, with whatever was done to it. */
    Store<MemoryTransaction> store() {
        return store;
    }

    /** What is left out. */
    Mutation mutation() {
        return mutation;
    }

    /**
     * The same lane without the allowance for commits that take long to become visible: here they never do, and within
     * the allowance nothing that it hides would be seen.
     */
    Claim.ClaimedLane claimed(Claim.ClaimedLane lane) {
        Instant until = lane.recordedUntil();
        return until == null || storeClockJumps
                ? lane
                : lane.recordedUntil(until.minus(Claim.ClaimedLane.RECORDED_BEYOND));
    }

    StoreWeather weather() {
        return weather;
    }

    Records records() {
        return records;
    }

    Oracle oracle() {
        return oracle;
    }

    /** What is due, by the store's clock. */
    DueBooks dues() {
        return dues;
    }

    Trace trace() {
        return trace;
    }

    SplittableRandom random() {
        return random;
    }

    void behaves(EventId id, Behaviour behaviour) {
        behaviours.put(id, behaviour);
    }

    Behaviour behaviour(EventId id) {
        return behaviours.getOrDefault(id, Behaviour.TAKES);
    }

    /** The store's clock. */
    Instant storeNow() {
        return SimulatedEnvironment.EPOCH.plusNanos(scheduler.nanos()).plus(storeOffset);
    }

    void jumpStore(Duration by) {
        storeOffset = storeOffset.plus(by);
        if (by.isNegative()) {
            dues.clockWentBack();
        } else {
            oracle.leasesCutShort();
        }
    }

    void storeDown(long untilNanos) {
        storeDownUntil = Math.max(storeDownUntil, untilNanos);
    }

    boolean storeIsDown() {
        return storeDownUntil > scheduler.nanos();
    }

    SimulatedBroker broker() {
        return broker;
    }
}
