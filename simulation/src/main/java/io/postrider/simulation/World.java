package io.postrider.simulation;

import io.postrider.EventId;
import io.postrider.memory.MemoryStore;
import io.postrider.memory.MemoryTransaction;
import io.postrider.spi.Store;
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
    private final Trace trace;
    private final SimulatedBroker broker;
    private final SplittableRandom random;
    private final Map<EventId, Behaviour> behaviours = new HashMap<>();
    private long storeDownUntil;

    World(SplittableRandom random, Mutation mutation) {
        this.random = random;
        this.scheduler = new Scheduler(random.split());
        this.memory = MemoryStore.create(() -> SimulatedEnvironment.EPOCH.plusNanos(scheduler.nanos()));
        this.store = mutation.mutated(memory);
        this.records = new Records(store.processed());
        this.weather = new StoreWeather(scheduler, random.split());
        this.oracle = new Oracle(scheduler, memory, Settings.LIMITS.handlerTimeout(), Settings.RETRY.attempts());
        this.trace = new Trace(scheduler);
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

    StoreWeather weather() {
        return weather;
    }

    Records records() {
        return records;
    }

    Oracle oracle() {
        return oracle;
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
