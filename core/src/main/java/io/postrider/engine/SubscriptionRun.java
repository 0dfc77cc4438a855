package io.postrider.engine;

import io.postrider.Lane;
import io.postrider.Observation;
import io.postrider.spi.Claim;
import io.postrider.spi.Environment;
import io.postrider.spi.Ownership;
import io.postrider.spi.Renew;
import io.postrider.spi.Store;
import io.postrider.spi.StoreException;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A subscription on this node: takes its share of the lanes, gives up what is beyond it. Thread-safe. */
final class SubscriptionRun implements LaneOwner {
    private static final Logger LOG = LoggerFactory.getLogger(SubscriptionRun.class);

    private final Store<?> store;
    private final Environment environment;
    private final SubscriptionSpec spec;
    private final Trouble trouble;
    private final Budget budget;
    private final Lease lease;
    private final Observers observers;
    private final FailureLog failures;
    private final Dispatcher dispatcher;
    private final Reach reach;
    private final @Nullable QueueRun queue;
    private final @Nullable EffectDispatcher<?> effects;
    private final Upkeep upkeep;
    private final ShareLog shareLog;
    private final LaneBrakes brakes;
    private final Map<Lane, LaneRun> lanes = new HashMap<>();
    private final Map<Lane, LaneRun> leaving = new HashMap<>();
    private final CompletableFuture<Void> stopped = new CompletableFuture<>();
    private boolean stopping;
    private boolean registered;
    private boolean standsBy;
    private volatile boolean paused;

    SubscriptionRun(
            Store<?> store, Environment environment, SubscriptionSpec spec, Node.Shared shared, Trouble trouble) {
        this.store = store;
        this.environment = environment;
        this.spec = spec;
        this.trouble = trouble;
        this.budget = shared.budget();
        this.lease = shared.lease();
        this.observers = shared.observers();
        this.failures = new FailureLog(spec, environment, observers.logsFailures());
        this.reach = new Reach(spec, shared.circuits());
        this.brakes = new LaneBrakes(environment, spec.limits().backoffMax());
        this.dispatcher = new Dispatcher(spec, environment, shared, reach.circuits(), this::paused);
        this.queue = spec.isQueue() ? new QueueRun(store.tasks(), environment, spec, shared, trouble, this) : null;
        Transactions<?> transactions = spec.transactions();
        this.effects = transactions == null
                ? null
                : new EffectDispatcher<>(spec, environment, shared, transactions, this::paused);
        this.upkeep = new Upkeep(store, environment, spec, observers);
        this.shareLog = new ShareLog(spec.name(), shared.node());
        reach.onUp(this::goOn);
    }

    String name() {
        return spec.name();
    }

    int parkedMax() {
        return spec.limits().parkedMax();
    }

    /** Called now and then, by one thread at a time. Whoever stands by leaves it to those who do not. */
    void maintain() {
        if (takesPart()) {
            upkeep.run(paused);
        }
    }

    /** Whether it might take a lane that nobody has: its share may have grown, and only a renewal can tell. */
    synchronized boolean wantsLanes() {
        return !stopping && !standsBy && lanes.size() < Lane.COUNT;
    }

    /** Drops what was lost, hands back what is beyond the share, claims what is missing. */
    void rebalance(String node, Renew.Renewal renewal) {
        List<Lane> held;
        int missing;
        synchronized (this) {
            Renew.Shared shared = renewal.shared().get(spec.name());
            dropLost(renewal);
            if (stopping || standsBy) {
                return;
            }
            if (shared == null) {
                standBy("it was removed");
                return;
            }
            if (!shared.filter().equals(spec.routes().fingerprint())) {
                standBy("another node has changed its filter to '" + shared.filter() + "'");
                return;
            }
            pause(shared.paused());
            takeTasks(!paused);
            int share = (Lane.COUNT + shared.nodes() - 1) / shared.nodes();
            giveUp(List.copyOf(lanes.values()).stream().skip(share).toList(), "its share is " + share);
            List<Lane> braked = brakes.held();
            missing = share - lanes.size() - braked.size();
            held = Stream.of(lanes.keySet(), leaving.keySet(), braked)
                    .flatMap(Collection::stream)
                    .toList();
        }
        if (missing > 0) {
            List<Claim.ClaimedLane> claimed = store.claim(claimant(node), held, missing);
            shareLog.taken(claimed);
            claimed.forEach(this::run);
        } else {
            releaseUnrun(renewal, held);
        }
    }

    private Claim.Claimant claimant(String node) {
        return new Claim.Claimant(node, spec.name(), spec.routes().fingerprint(), spec.rows());
    }

    /**
     * Hands back what the store says is ours although nobody runs it here: lanes that ended when the store failed, in
     * whose place others have been claimed since. As long as this node lives, nobody else could take them.
     */
    private void releaseUnrun(Renew.Renewal renewal, List<Lane> run) {
        List<Ownership> unrun = heldOf(renewal)
                .filter(ownership -> !run.contains(ownership.lane()))
                .toList();
        if (!unrun.isEmpty()) {
            store.release(unrun);
        }
    }

    private Stream<Ownership> heldOf(Renew.Renewal renewal) {
        return renewal.held().stream()
                .map(Renew.Held::ownership)
                .filter(ownership -> ownership.subscription().equals(spec.name()));
    }

    private synchronized void run(Claim.ClaimedLane claimed) {
        LaneRun lane = new LaneRun(store, environment, spec, this, claimed);
        lanes.put(claimed.ownership().lane(), lane);
        tellShare();
        if (stopping) {
            giveUp(lane);
        } else {
            lane.wake();
        }
    }

    /**
     * Whether a lane that runs here is another's by now, although the lease is said to have been kept: an earlier
     * renewal, whose answer was lost, had found it over.
     */
    synchronized boolean lostUnawares(Renew.Renewal renewal) {
        Set<Ownership> held = heldOf(renewal).collect(Collectors.toSet());
        return renewal.shared().containsKey(spec.name())
                && lanes.values().stream().anyMatch(lane -> !held.contains(lane.ownership()));
    }

    private void dropLost(Renew.Renewal renewal) {
        Map<Lane, Renew.Held> held = renewal.held().stream()
                .filter(one -> one.ownership().subscription().equals(spec.name()))
                .collect(Collectors.toMap(one -> one.ownership().lane(), one -> one));
        for (LaneRun lane : List.copyOf(lanes.values())) {
            Renew.Held now = held.get(lane.ownership().lane());
            if (now == null || !now.ownership().equals(lane.ownership())) {
                lanes.remove(lane.ownership().lane());
                leaving.put(lane.ownership().lane(), lane);
                lane.lost();
            } else {
                lane.requested(now.requests());
            }
        }
    }

    private void tellShare() {
        observers.observe(new Observation.Shared(spec.name(), lanes.size()));
    }

    /** The store knows it by now. */
    synchronized void registered() {
        shareLog.started(spec);
        registered = true;
    }

    /** One that stands by has no share meanwhile. */
    synchronized boolean takesPart() {
        return registered && !standsBy;
    }

    /**
     * Whoever stands by gets no lane as long as the filter is another one. One that gets one takes part again, and
     * hands it back: the next renewal says what its share is, and whether it is paused.
     */
    void resumeIfPossible(String node) {
        synchronized (this) {
            if (stopping || !standsBy || !leaving.isEmpty()) {
                return;
            }
        }
        List<Claim.ClaimedLane> claimed = store.claim(claimant(node), List.of(), 1);
        if (!claimed.isEmpty()) {
            LOG.info("Subscription '{}' takes part again on this node", spec.name());
            synchronized (this) {
                standsBy = false;
            }
            store.release(claimed.stream().map(Claim.ClaimedLane::ownership).toList());
        }
    }

    private void standBy(String reason) {
        LOG.warn("Subscription '{}' stands by on this node: {}", spec.name(), reason);
        standsBy = true;
        takeTasks(false);
        giveUp(List.copyOf(lanes.values()), reason);
    }

    /** Lanes stay with their node while nothing is dispatched: who resumes finds them where they are. */
    private void pause(boolean pause) {
        if (pause == paused) {
            return;
        }
        LOG.info("Subscription '{}' is {} on this node", spec.name(), pause ? "paused" : "resumed");
        paused = pause;
        observers.observe(new Observation.Paused(spec.name(), pause));
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
        giveUp(List.copyOf(lanes.values()), "an operator drains the node");
    }

    private void giveUp(List<LaneRun> given, String why) {
        shareLog.handsBack(given.stream().map(lane -> lane.ownership().lane()).toList(), why);
        given.forEach(this::giveUp);
    }

    private void giveUp(LaneRun lane) {
        lanes.remove(lane.ownership().lane());
        leaving.put(lane.ownership().lane(), lane);
        lane.stop();
    }

    synchronized void wake(Collection<Lane> woken) {
        // By lanes and not by what was woken, whose order is anyone's: the simulation repeats itself.
        lanes.forEach((lane, run) -> {
            if (woken.contains(lane)) {
                run.wake();
            }
        });
    }

    synchronized void wakeAll() {
        lanes.values().forEach(LaneRun::wake);
    }

    /** Every lane is lost: the lease is over. */
    synchronized void lostAll() {
        for (LaneRun lane : List.copyOf(lanes.values())) {
            lanes.remove(lane.ownership().lane());
            leaving.put(lane.ownership().lane(), lane);
            lane.lost();
        }
    }

    /** Completed when every lane has been handed back. */
    synchronized CompletableFuture<Void> stop() {
        stopping = true;
        giveUp(List.copyOf(lanes.values()), "the node stops");
        completeIfEmpty();
        return queue == null ? stopped : CompletableFuture.allOf(stopped, queue.stop());
    }

    synchronized void stopNow() {
        List.copyOf(leaving.values()).forEach(LaneRun::stopNow);
        if (queue != null) {
            queue.stopNow();
        }
    }

    @Override
    public Budget budget() {
        return budget;
    }

    @Override
    public Observers observers() {
        return observers;
    }

    @Override
    public FailureLog failures() {
        return failures;
    }

    @Override
    public long term() {
        return lease.term();
    }

    @Override
    public boolean leaseIsValid(long term) {
        return lease.valid(term);
    }

    @Override
    public Dispatcher dispatcher() {
        return dispatcher;
    }

    @Override
    public @Nullable EffectDispatcher<?> effects() {
        return effects;
    }

    @Override
    public boolean hasRoom() {
        return queue == null || queue.hasRoom();
    }

    @Override
    public void fed(int tasks) {
        if (queue != null) {
            queue.fed(tasks);
        }
    }

    @Override
    public void expiring() {
        upkeep.expiring();
    }

    private void takeTasks(boolean take) {
        if (queue != null) {
            queue.take(take);
        }
    }

    @Override
    public void failing(StoreException failure) {
        trouble.failing(failure);
    }

    @Override
    public synchronized void ended(LaneRun lane, @Nullable Failed failed) {
        if (failed != null && !stopping) {
            environment.schedule(brakes.ended(lane.ownership(), failed), trouble::dropped);
        }
        lanes.remove(lane.ownership().lane(), lane);
        leaving.remove(lane.ownership().lane(), lane);
        tellShare();
        completeIfEmpty();
    }

    private void completeIfEmpty() {
        if (stopping && lanes.isEmpty() && leaving.isEmpty()) {
            stopped.complete(null);
        }
    }
}
