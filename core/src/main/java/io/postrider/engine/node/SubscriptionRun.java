package io.postrider.engine.node;

import io.postrider.Environment;
import io.postrider.Lane;
import io.postrider.StoredEvent;
import io.postrider.engine.dispatch.CallDispatcher;
import io.postrider.engine.dispatch.Circuit;
import io.postrider.engine.dispatch.Dispatcher;
import io.postrider.engine.dispatch.EffectDispatcher;
import io.postrider.engine.dispatch.FailureLog;
import io.postrider.engine.dispatch.NodeParts;
import io.postrider.engine.dispatch.Reach;
import io.postrider.engine.dispatch.SubscriptionSpec;
import io.postrider.engine.dispatch.Transactions;
import io.postrider.engine.lane.LaneOwner;
import io.postrider.engine.lane.LaneRun;
import io.postrider.engine.lane.ShareLog;
import io.postrider.engine.operation.Upkeep;
import io.postrider.engine.queue.QueueRun;
import io.postrider.observe.Observation;
import io.postrider.operate.DestinationStatus;
import io.postrider.store.Claim;
import io.postrider.store.Ownership;
import io.postrider.store.Renew;
import io.postrider.store.Store;
import io.postrider.store.Watch;
import io.postrider.text.Logs;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/** A subscription on this node: takes its share of the lanes, gives up what is beyond it. Thread-safe. */
public final class SubscriptionRun implements LaneOwner {
    private static final Logger LOG = Logs.of(SubscriptionRun.class);

    private final Store<?> store;
    private final Environment environment;
    private final SubscriptionSpec spec;
    private final SharedFilter filter;
    private final NodeParts shared;
    private final FailureLog failures;
    private final Dispatcher dispatcher;
    private final Reach reach;
    private final @Nullable QueueRun queue;
    private final Upkeep upkeep;
    private final ShareLog shareLog;
    private final LaneBrakes brakes;
    private final Map<Lane, LaneRun> lanes = new HashMap<>();
    private final Map<Lane, LaneRun> leaving = new HashMap<>();
    private final CompletableFuture<Void> stopped = new CompletableFuture<>();
    private boolean stopping;
    private volatile boolean standsBy;
    private volatile boolean removed;
    private volatile boolean paused;

    SubscriptionRun(Store<?> store, Environment environment, SubscriptionSpec spec, NodeParts shared) {
        this.store = store;
        this.environment = environment;
        this.spec = spec;
        this.filter = new SharedFilter(store.subscriptions(), spec);
        this.shared = shared;
        this.failures = new FailureLog(spec, environment, shared.observers().logsFailures());
        this.reach = new Reach(spec, shared.circuits());
        this.brakes = new LaneBrakes(environment, shared.limits().backoffMax());
        Transactions<?> transactions = spec.transactions();
        this.dispatcher = transactions == null
                ? new CallDispatcher(spec, environment, shared, reach.circuits(), this::paused)
                : new EffectDispatcher<>(spec, environment, shared, transactions, this::paused);
        this.queue = spec.isQueue() ? new QueueRun(store, environment, spec, this) : null;
        this.upkeep = new Upkeep(store, environment, spec, shared);
        this.shareLog = new ShareLog(spec.name(), shared.node(), environment, this::whyLost);
        reach.onUp(this::goOn);
    }

    Optional<DestinationStatus> down(StoredEvent event) {
        return reach.down(event);
    }

    String name() {
        return spec.name();
    }

    int parkedMax() {
        return spec.limits().parkedMax();
    }

    /** Called now and then, by one thread at a time. Whoever stands by leaves it to those who do not. */
    void maintain() {
        failures.tellExpired();
        if (takesPart()) {
            upkeep.run(paused);
        }
    }

    /** Whether it might take a lane that nobody has: its share may have grown, and only a renewal can tell. */
    synchronized boolean wantsLanes() {
        return !stopping && !standsBy && lanes.size() < store.lanes();
    }

    /** Drops what was lost, hands back what is beyond the share, claims what is missing. */
    void rebalance(String node, Renew.Renewal renewal) {
        List<Lane> held;
        int missing;
        synchronized (this) {
            Renew.Sharing stored = renewal.shared().get(spec.name());
            dropLost(renewal);
            Map<Lane, Renew.HeldLane> now = renewal.heldOf(spec.name());
            lanes.forEach((number, lane) ->
                    Optional.ofNullable(now.get(number)).ifPresent(each -> lane.changedByOperators(each.requests())));
            if (stopping || standsBy) {
                return;
            }
            if (stored == null) {
                LOG.warn("Subscription '{}' stands by on this node: it was removed", spec.name());
                removed = true;
                standBy();
                tellShare();
                return;
            }
            if (!stored.filter().equals(filter.own())) {
                filter.tellStandBy(stored.filter());
                standBy();
                return;
            }
            pause(stored.paused());
            takeTasks(!paused);
            int share = (store.lanes() + stored.nodes() - 1) / stored.nodes();
            handBack(List.copyOf(lanes.values()).stream().skip(share).toList(), "its share is " + share);
            List<Lane> braked = brakes.held();
            missing = share - lanes.size() - braked.size();
            held = Stream.of(lanes.keySet(), leaving.keySet(), braked)
                    .flatMap(Collection::stream)
                    .toList();
        }
        List<Ownership> unrun = renewal.heldBeside(spec.name(), held);
        if (missing > 0) {
            Claim.Claimant claimant = new Claim.Claimant(node, spec.name(), filter.own(), spec.view());
            List<Claim.ClaimedLane> claimed = store.claim().claim(claimant, held, missing);
            shareLog.taken(claimed);
            claimed.forEach(this::run);
        } else if (!unrun.isEmpty()) {
            store.claim().release(unrun); // they ended when the store failed, and no other node could take them
        }
    }

    private synchronized void run(Claim.ClaimedLane claimed) {
        LaneRun lane = new LaneRun(store, environment, spec, this, claimed);
        lanes.put(claimed.ownership().lane(), lane);
        tellShare();
        if (stopping) {
            handBack(List.of(lane), ShareLog.STOPS);
        } else {
            lane.wake();
        }
    }

    /**
     * Whether a lane that runs here is another's by now, as its epoch tells: a node that was late, and whose lanes
     * nobody wanted, goes on with them. A changed filter takes lanes away as well.
     */
    synchronized boolean hasLost(Renew.Renewal renewal) {
        Renew.Sharing stored = renewal.shared().get(spec.name());
        return stored != null
                && stored.filter().equals(filter.own())
                && lanes.values().stream().anyMatch(lane -> !renewal.holds(lane.ownership()));
    }

    /** Drops lanes that are not this node's any more, on their way back or not, before a lease begins again. */
    synchronized void dropLost(Renew.Renewal renewal) {
        Stream.concat(lanes.values().stream(), leaving.values().stream())
                .filter(lane -> !renewal.holds(lane.ownership()))
                .toList()
                .forEach(this::lost);
    }

    private void lost(LaneRun lane) {
        lanes.remove(lane.ownership().lane(), lane);
        leaving.put(lane.ownership().lane(), lane);
        lane.lost();
    }

    /** Of a removed subscription nothing but its end: a share of zero lanes would look like one that nobody runs. */
    private void tellShare() {
        if (!removed) {
            shared.observers().observe(new Observation.Shared(spec.name(), lanes.size(), store.lanes()));
        } else if (!stopping && lanesLeft() == 0) {
            shared.observers().observe(new Observation.Removed(spec.name()));
        }
    }

    void register(String node) {
        filter.register(node);
        shareLog.started(spec);
    }

    SharedFilter filter() {
        return filter;
    }

    /** One that stands by has no share meanwhile. */
    synchronized boolean takesPart() {
        return filter.isRegistered() && !standsBy;
    }

    /**
     * Takes part again once the subscription has this node's filter, whoever brought it back; whether it does from here
     * on. Lanes come with the next renewal, which says what this node's share is, and whether it is paused.
     */
    boolean resumeIfPossible(String node, Renew.Renewal renewal, Duration unheld) {
        synchronized (this) {
            if (stopping || !standsBy || !leaving.isEmpty()) {
                return false;
            }
        }
        Renew.Sharing stored = renewal.shared().get(spec.name());
        boolean inForce = stored != null && (stored.filter().equals(filter.own()) || filter.takeBack(node, unheld));
        if (inForce) {
            LOG.info("Subscription '{}' takes part again on this node", spec.name());
            synchronized (this) {
                standsBy = false;
                removed = false;
            }
        }
        return inForce;
    }

    private void standBy() {
        standsBy = true;
        takeTasks(false);
        handBack(List.copyOf(lanes.values()), removed ? ShareLog.REMOVED : "it stands by");
    }

    /** Lanes stay with their node while nothing is dispatched: who resumes finds them where they are. */
    private void pause(boolean pause) {
        if (pause == paused) {
            return;
        }
        LOG.info("Subscription '{}' is {} on this node", spec.name(), pause ? "paused" : "resumed");
        paused = pause;
        shared.observers().observe(new Observation.Paused(spec.name(), pause));
        lanes.values().forEach(pause ? LaneRun::pause : LaneRun::wake);
    }

    @Override
    public boolean paused() {
        return paused;
    }

    @Override
    public boolean reachable() {
        return reach.isUp();
    }

    /** Tasks are settled one by one, and have no seals. */
    @Override
    public Collection<Circuit> guarded() {
        return spec.isQueue() ? List.of() : reach.guarded();
    }

    private void goOn() {
        wakeAll();
        if (queue != null) {
            queue.goOn();
        }
    }

    /** Hands back what it has, and takes nothing before the next rebalance. */
    synchronized void drain() {
        takeTasks(false);
        handBack(List.copyOf(lanes.values()), "an operator drains the node");
    }

    private void handBack(List<LaneRun> given, String why) {
        for (LaneRun lane : given) {
            shareLog.handsBack(lane.ownership().lane(), why);
            lanes.remove(lane.ownership().lane());
            leaving.put(lane.ownership().lane(), lane);
            lane.stop();
        }
    }

    /** Those lanes are woken that have not read the news by themselves. */
    synchronized void wake(Function<Lane, Watch.@Nullable Commits> news) {
        // By lanes and not by news, whose order is anyone's: the simulation repeats itself.
        lanes.forEach((lane, run) -> {
            Watch.Commits commits = news.apply(lane);
            if (commits != null) {
                run.wake(commits);
            }
        });
    }

    @Override
    public synchronized void wakeAll() {
        lanes.values().forEach(LaneRun::wake);
    }

    /** Every lane is lost: the lease is over. */
    synchronized void lostAll() {
        shareLog.leaseOver(!lanes.isEmpty());
        List.copyOf(lanes.values()).forEach(this::lost);
    }

    /** Completed when every lane has been handed back. */
    synchronized CompletableFuture<Void> stop() {
        stopping = true;
        handBack(List.copyOf(lanes.values()), removed ? ShareLog.REMOVED : ShareLog.STOPS);
        completeIfEmpty();
        return queue == null ? stopped : CompletableFuture.allOf(stopped, queue.stop());
    }

    /** The same for a subscription that was removed. */
    synchronized CompletableFuture<Void> remove() {
        removed = true;
        return stop();
    }

    private String whyLost() {
        return removed ? ShareLog.REMOVED : standsBy ? ShareLog.FILTER : ShareLog.TAKEN;
    }

    synchronized void stopNow() {
        List.copyOf(leaving.values()).forEach(LaneRun::stopNow);
        Optional.ofNullable(queue).ifPresent(QueueRun::stopNow);
    }

    synchronized int lanesLeft() {
        return lanes.size() + leaving.size();
    }

    @Override
    public NodeParts shared() {
        return shared;
    }

    @Override
    public FailureLog failures() {
        return failures;
    }

    @Override
    public ShareLog shares() {
        return shareLog;
    }

    @Override
    public Dispatcher dispatcher() {
        return dispatcher;
    }

    @Override
    public boolean hasRoom() {
        return queue == null || queue.hasRoom();
    }

    @Override
    public void fed(int tasks) {
        Optional.ofNullable(queue).ifPresent(run -> run.fed(tasks));
    }

    @Override
    public void expiring() {
        upkeep.expiring();
    }

    private void takeTasks(boolean take) {
        Optional.ofNullable(queue).ifPresent(run -> run.take(take));
    }

    @Override
    public synchronized void ended(LaneRun lane, @Nullable Failed failed) {
        lanes.remove(lane.ownership().lane(), lane);
        leaving.remove(lane.ownership().lane(), lane);
        shareLog.ended(leaving.isEmpty());
        tellShare();
        completeIfEmpty();
        if (failed != null && !stopping) {
            environment.schedule(brakes.ended(lane.ownership(), failed), shared.trouble()::dropped);
        }
    }

    private void completeIfEmpty() {
        if (stopping && lanesLeft() == 0) {
            failures.tellExpiredNow();
            shareLog.tell();
            stopped.complete(null);
        }
    }
}
