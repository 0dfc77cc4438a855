package io.postrider.memory;

import io.postrider.EventId;
import io.postrider.Lane;
import io.postrider.StoredEvent;
import io.postrider.Transact;
import io.postrider.operate.Audit;
import io.postrider.operate.Browse;
import io.postrider.operate.DeadEvents;
import io.postrider.operate.Delivery;
import io.postrider.operate.Operate;
import io.postrider.operate.Operations;
import io.postrider.operate.Search;
import io.postrider.store.Append;
import io.postrider.store.Chunks;
import io.postrider.store.Claim;
import io.postrider.store.Foresee;
import io.postrider.store.Horizon;
import io.postrider.store.Join;
import io.postrider.store.Park;
import io.postrider.store.Processed;
import io.postrider.store.Prune;
import io.postrider.store.Receive;
import io.postrider.store.Renew;
import io.postrider.store.Retain;
import io.postrider.store.Seals;
import io.postrider.store.Settle;
import io.postrider.store.SettleWithin;
import io.postrider.store.Store;
import io.postrider.store.Subscriptions;
import io.postrider.store.Tasks;
import io.postrider.store.Watch;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/**
 * A store in this process's memory, for tests, the simulation and a first look. Nodes in the same process share it by
 * sharing the instance. Thread-safe.
 */
public final class MemoryStore implements Store<MemoryTransaction> {
    private static final String OUTBOX = "outbox";

    private final MemoryState state;
    private final String log;
    private final Append<MemoryTransaction> append;
    private final Transact<MemoryTransaction> transact;
    private final Join<MemoryTransaction> join;
    private final Subscriptions subscriptions;
    private final Renew renew;
    private final Claim claim;
    private final MemorySettle settle;
    private final SettleWithin<MemoryTransaction> settleWithin;
    private final Processed<MemoryTransaction> processed;
    private final Receive<MemoryTransaction> receive;
    private final Watch watch;
    private final Horizon horizon;
    private final Prune prune;
    private final Browse browse;
    private final Operate operate;
    private final Park park;
    private final Tasks tasks;
    private final MemoryAudit audit;
    private final MemoryOperations operations;
    private final Chunks chunks;
    private final Retain retain;
    private final DeadEvents deadEvents;
    private final Foresee foresee;
    private final Seals seals;
    private final Search search;

    private MemoryStore(MemoryState state, String log) {
        this.state = state;
        this.log = log;
        MemoryAppend appending = new MemoryAppend(state);
        this.append = appending;
        this.transact = new MemoryTransact(state);
        this.join = new MemoryJoin(state);
        MemoryBrowse looking = new MemoryBrowse(state);
        this.browse = looking;
        this.audit = new MemoryAudit(state);
        MemoryOperations operating = new MemoryOperations(state, audit);
        this.subscriptions = new MemorySubscriptions(state);
        this.renew = new MemoryRenew(state);
        this.claim = new MemoryClaim(state);
        this.settle = new MemorySettle(state);
        this.settleWithin = new MemorySettleWithin(state, settle);
        this.processed = new MemoryProcessed(state);
        this.receive = new MemoryReceive(state, appending);
        this.watch = new MemoryWatch(state);
        this.horizon = new MemoryHorizon(state);
        this.prune = new MemoryPrune(state);
        this.park = new MemoryPark(state);
        this.tasks = new MemoryTasks(state);
        this.operate = new MemoryOperate(state, appending, audit, new MemoryRemove(state, audit, looking, operating));
        this.operations = operating;
        this.chunks = new MemoryChunks(state, operations);
        this.retain = new MemoryRetain(state);
        this.deadEvents = new MemoryDeadEvents(state);
        this.foresee = new MemoryForesee(state);
        this.seals = new MemorySeals(state);
        this.search = new MemorySearch(state);
    }

    /** An empty store on the system clock. */
    public static MemoryStore create() {
        return create(InstantSource.system());
    }

    /** The same with another name of its log, for a second one beside the outbox. */
    public static MemoryStore create(String log) {
        return new MemoryStore(new MemoryState(InstantSource.system(), Lane.COUNT_DEFAULT), log);
    }

    /** An empty store whose leases and times follow this clock. */
    public static MemoryStore create(InstantSource clock) {
        return create(clock, Lane.COUNT_DEFAULT);
    }

    /** The same with so many lanes, 4 to 256. */
    public static MemoryStore create(InstantSource clock, int lanes) {
        return new MemoryStore(new MemoryState(clock, lanes), OUTBOX);
    }

    /** Opens a transaction; the caller ends it. */
    public MemoryTransaction begin() {
        return new MemoryTransaction(state);
    }

    // ---- for simulations --------------------------------------------------------------------------------------------

    /** From now on, a {@link #crash} loses nothing of what is there at present. */
    public void flush() {
        synchronized (state) {
            state.flush();
        }
    }

    /**
     * What a database does that had not yet written everything to its disk: it goes back to the last {@link #flush},
     * open transactions are gone, and positions and transaction ids are handed out a second time.
     *
     * @return the events it has lost
     */
    public List<StoredEvent> crash() {
        return crash(true);
    }

    /** As {@link #crash}, but what was claimed before stays valid: what no store may do. */
    public List<StoredEvent> crashUnnoticed() {
        return crash(false);
    }

    private List<StoredEvent> crash(boolean noticed) {
        synchronized (state) {
            Map<Long, LogRow> before = Map.copyOf(state.log.rows());
            state.crash(noticed);
            return before.values().stream()
                    .filter(row -> !row.equals(state.log.row(row.position())))
                    .map(LogRow::event)
                    .sorted(Comparator.comparing(StoredEvent::position))
                    .toList();
        }
    }

    /** Whether a subscription still has something to do with an event: it is pending, or waits in a delivery row. */
    public boolean unsettled(String subscription, EventId id) {
        synchronized (state) {
            return state.unsettled(subscription, id);
        }
    }

    /** From now on no event can be made of what the log has under this id. */
    public void damage(EventId id, String why) {
        synchronized (state) {
            state.defects.put(id, why);
        }
    }

    /** From now on settlements with such a delivery row are refused, as by a database with a constraint against it. */
    public void refuse(Predicate<Delivery> rows) {
        synchronized (state) {
            state.refused = state.refused.or(rows);
        }
    }

    /** From now on transactions with such an event are refused when they commit, as by a deferred check. */
    public void refuseAtCommit(Predicate<StoredEvent> events) {
        synchronized (state) {
            state.refusedAtCommit = state.refusedAtCommit.or(events);
        }
    }

    // ---- the verbs --------------------------------------------------------------------------------------------------

    @Override
    public int lanes() {
        return state.lanes;
    }

    @Override
    public String log() {
        return log;
    }

    @Override
    public Park park() {
        return park;
    }

    @Override
    public Tasks tasks() {
        return tasks;
    }

    @Override
    public Operate operate() {
        return operate;
    }

    @Override
    public Audit audit() {
        return audit;
    }

    @Override
    public Operations operations() {
        return operations;
    }

    @Override
    public Chunks chunks() {
        return chunks;
    }

    @Override
    public Retain retain() {
        return retain;
    }

    @Override
    public DeadEvents deadEvents() {
        return deadEvents;
    }

    @Override
    public Seals seals() {
        return seals;
    }

    @Override
    public Foresee foresee() {
        return foresee;
    }

    @Override
    public Search search() {
        return search;
    }

    @Override
    public Set<Limitation> limitations() {
        return Set.of(Limitation.NOT_DURABLE, Limitation.ONE_PROCESS);
    }

    @Override
    public Processed<MemoryTransaction> processed() {
        return processed;
    }

    @Override
    public Receive<MemoryTransaction> receive() {
        return receive;
    }

    @Override
    public SettleWithin<MemoryTransaction> settleWithin() {
        return settleWithin;
    }

    @Override
    public Append<MemoryTransaction> append() {
        return append;
    }

    @Override
    public Transact<MemoryTransaction> transact() {
        return transact;
    }

    @Override
    public Horizon horizon() {
        return horizon;
    }

    @Override
    public Join<MemoryTransaction> join() {
        return join;
    }

    @Override
    public Subscriptions subscriptions() {
        return subscriptions;
    }

    @Override
    public Renew renew() {
        return renew;
    }

    @Override
    public Claim claim() {
        return claim;
    }

    @Override
    public Settle settle() {
        return settle;
    }

    @Override
    public Watch watch() {
        return watch;
    }

    @Override
    public Prune prune() {
        return prune;
    }

    @Override
    public Browse browse() {
        return browse;
    }
}
