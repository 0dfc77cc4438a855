package io.postrider.engine.node;

import io.postrider.Environment;
import io.postrider.Lane;
import io.postrider.StoredEvent;
import io.postrider.engine.base.Budget;
import io.postrider.engine.base.LateRenewals;
import io.postrider.engine.base.Lease;
import io.postrider.engine.base.Leases;
import io.postrider.engine.base.Observers;
import io.postrider.engine.base.Outage;
import io.postrider.engine.base.Serial;
import io.postrider.engine.base.StoreTime;
import io.postrider.engine.base.Stumbles;
import io.postrider.engine.base.Trouble;
import io.postrider.engine.dispatch.Circuits;
import io.postrider.engine.dispatch.NodeParts;
import io.postrider.engine.dispatch.SubscriptionSpec;
import io.postrider.engine.operation.OperationRuns;
import io.postrider.engine.operation.Pruner;
import io.postrider.observe.Observation;
import io.postrider.operate.DestinationStatus;
import io.postrider.operate.Operator;
import io.postrider.policy.NodeLimits;
import io.postrider.store.Renew;
import io.postrider.store.Store;
import io.postrider.store.StoreException;
import io.postrider.store.Watch;
import io.postrider.text.Logs;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArraySet;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * One member of the set of nodes that deliver together: it renews its lease, shares out lanes, watches the log and
 * prunes it. The lanes do the rest. Thread-safe.
 */
public final class Node implements Trouble, Operator.Beside {
    private static final Logger LOG = Logs.of(Node.class);
    /** A filter that no live node has had for so many leases is given up by those who stand by for it. */
    private static final int UNHELD_LEASES = 2;

    private final String id;
    private final Store<?> store;
    private final Environment environment;
    private final NodeLimits limits;
    private final NodeParts shared;
    private final LeaseKeeper keeper;
    private final Watcher watcher;
    private final OperationRuns operations;
    private final Stumbles stumbles;
    private final Serial serial;
    private final Serial upkeepSerial; // its own, because a renewal must not wait for upkeep
    private final Pruner pruner;
    private final Map<String, SubscriptionRun> runs = new ConcurrentHashMap<>();
    private Environment.Timer renewal = () -> {};
    private volatile Environment.Timer upkeep = () -> {};
    private final AtomicBoolean stopCalled = new AtomicBoolean();
    private final CompletableFuture<Void> left = new CompletableFuture<>();
    /** Runs of removed subscriptions until they have ended; in order, so that a simulated run repeats anywhere. */
    private final Set<SubscriptionRun> ending = new CopyOnWriteArraySet<>();

    private boolean started;
    private volatile boolean stopping;
    private volatile boolean draining;

    public Node(String id, Store<?> store, Environment environment, NodeLimits limits, Observers observers) {
        this.id = id;
        this.store = store;
        this.environment = environment;
        this.limits = limits;
        Outage outage = new Outage(environment, limits.backoffMax(), observers);
        this.shared = new NodeParts(
                id,
                new Budget(limits),
                new Lease(environment, limits.lease()),
                new StoreTime(environment),
                observers,
                new Circuits(environment, limits.backoffMax(), observers),
                new LateRenewals(environment, observers, outage),
                outage,
                this,
                limits);
        this.keeper = new LeaseKeeper(store.renew(), id, environment, shared.lease(), outage, shared.late());
        this.watcher = new Watcher(store, environment, limits, this);
        this.operations = new OperationRuns(store, environment, id, limits, this::parkedMax, this);
        this.pruner = new Pruner(store, limits, observers, outage);
        this.stumbles = new Stumbles(LOG, environment);
        this.serial = new Serial(environment, e -> stumbles.tell("Node " + id + " failed unexpectedly; it goes on", e));
        this.upkeepSerial = new Serial(environment, e -> stumbles.tell("Upkeep failed unexpectedly", e));
    }

    /** Registers a subscription and runs it here. */
    public void start(SubscriptionSpec spec) {
        spec.requireFits(limits);
        if (stopCalled.get()) {
            throw new IllegalStateException("subscription '" + spec.name() + "' cannot start, this node was closed");
        }
        SubscriptionRun run = new SubscriptionRun(store, shared.time(), spec, shared);
        SubscriptionRun before = runs.get(spec.name());
        if (before != null
                && !before.takesPart()
                && !store.browse().subscriptions().contains(spec.name())) {
            removed(spec.name());
        }
        if (runs.putIfAbsent(spec.name(), run) != null) {
            throw new IllegalStateException("subscription '" + spec.name() + "' runs on this node already");
        }
        try {
            run.register(id);
        } catch (RuntimeException e) {
            runs.remove(spec.name(), run);
            throw e;
        }
        serial.execute(this::begin);
    }

    /** A subscription was removed: what runs of it ends, and it may be started anew. */
    @Override
    public void removed(String subscription) {
        SubscriptionRun run = runs.remove(subscription);
        if (run != null) {
            ending.add(run);
            run.remove().whenComplete((nothing, failure) -> {
                ending.remove(run);
                if (!runs.containsKey(subscription)) {
                    shared.observers().observe(new Observation.Removed(subscription));
                }
            });
        }
    }

    /** Of a subscription that this node does not run, the node's own stands for it. */
    private int parkedMax(String subscription) {
        SubscriptionRun run = runs.get(subscription);
        return run == null ? limits.subscriptions().parkedMax() : run.parkedMax();
    }

    /** How the destinations of this node's subscriptions stand. */
    @Override
    public List<DestinationStatus> destinations() {
        return shared.circuits().status();
    }

    /** The destination of an event in a subscription of this node, if it is down. */
    @Override
    public Optional<DestinationStatus> down(String subscription, StoredEvent event) {
        SubscriptionRun run = runs.get(subscription);
        return run == null ? Optional.empty() : run.down(event);
    }

    private void begin() {
        if (!started) {
            started = true;
            watcher.start();
            keeper.start();
            upkeepSerial.execute(this::upkeep);
        }
        renew();
    }

    // ---- renew ------------------------------------------------------------------------------------------------------

    private void renew() {
        if (left.isDone()) {
            return;
        }
        Duration pause = Leases.pause(limits.lease());
        try {
            Set<String> asked = taking();
            long sent = shared.lease().renewing();
            Renew.Renewal renewed = store.renew().renew(id, limits.lease(), asked, filters());
            shared.time().learn(renewed.at(), sent, environment.nanos());
            shared.outage().up();
            if (shared.lease().isHeld()) {
                shared.late().renewed("node " + id, shared.lease().sinceRenewal(), limits.lease());
            }
            if (runs.values().stream().anyMatch(run -> run.hasLost(renewed))) {
                shared.lease().lost();
                runs.values().forEach(SubscriptionRun::lostAll);
            }
            runs.values().stream()
                    .filter(run ->
                            !asked.contains(run.name()) || renewed.shared().containsKey(run.name()))
                    .forEach(run -> run.dropLost(renewed)); // a removed one tells so first
            shared.lease().renewed(sent);
            rebalance(asked, renewed);
        } catch (StoreException e) {
            shared.outage().down(e);
            Duration again = shared.outage().pause();
            pause = again.compareTo(pause) < 0 ? again : pause;
        } catch (Throwable e) {
            stumbles.tell("Renewing the lease of node " + id + " failed unexpectedly; it is tried again", e);
        } finally {
            renewIn(pause);
        }
    }

    /** What was started since the renewal was sent is not in it, and waits for the next. */
    private void rebalance(Set<String> asked, Renew.Renewal renewed) {
        if (drains(renewed.asked())) {
            return;
        }
        if (renewed.asked().operations()) {
            operations.look();
        }
        for (SubscriptionRun run : runs.values()) {
            try {
                if (asked.contains(run.name())) {
                    run.rebalance(id, renewed);
                } else if (run.resumeIfPossible(id, renewed, limits.lease().multipliedBy(UNHELD_LEASES))) {
                    serial.execute(this::renew); // names the subscription, so that its lanes are shared with this node
                }
            } catch (StoreException e) {
                throw e;
            } catch (Throwable e) {
                stumbles.tell("Subscription '" + run.name() + "' cannot claim lanes; the next renewal tries again", e);
            }
        }
    }

    /**
     * Whether an operator wants this node to have nothing; when no longer, a further renewal says what it shares in.
     */
    private boolean drains(Renew.Asked asked) {
        boolean drained = draining;
        draining = asked.draining();
        if (draining && !drained) {
            LOG.info("Node {} is drained: it hands back its lanes and takes none", id);
            operations.handBack();
        }
        if (draining) {
            runs.values().forEach(SubscriptionRun::drain);
        } else if (drained) {
            LOG.info("Node {} takes lanes again", id);
            serial.execute(this::renew);
        }
        return draining || drained;
    }

    /** What this node shares in: nothing while it stops, so that the others take over at once what it hands back. */
    private Set<String> taking() {
        return runs.values().stream()
                .filter(run -> !stopping && !draining && run.takesPart())
                .map(SubscriptionRun::name)
                .collect(Collectors.toSet());
    }

    /** The filters of what was registered here, whether it takes part or stands by. */
    private Map<String, String> filters() {
        return runs.values().stream()
                .filter(run -> run.filter().isRegistered())
                .collect(Collectors.toMap(
                        SubscriptionRun::name, run -> run.filter().own()));
    }

    private void renewIn(Duration pause) {
        renewal.cancel();
        try {
            renewal = environment.schedule(pause, () -> serial.execute(this::renew));
        } catch (Throwable e) {
            leaveAtOnce(e);
        }
    }

    /** Whoever cannot renew any more dispatches nothing any more, and lets others go on at once. */
    private void leaveAtOnce(Throwable failure) {
        LOG.error("Node {} cannot renew its lease and gives it up; other nodes take over its lanes", id, failure);
        shared.lease().lost();
        runs.values().forEach(SubscriptionRun::lostAll);
        keeper.leave();
    }

    /** A call has failed: the lanes that made it have ended, and are claimed anew when the store answers. */
    @Override
    public void failing(StoreException failure) {
        if (shared.outage().down(failure)) {
            serial.execute(() -> renewIn(shared.outage().pause()));
        }
    }

    /** While the store does not answer, the renewal that finds that it does looks for everything. */
    @Override
    public void dropped() {
        if (!shared.outage().isDown()) {
            serial.execute(this::renew);
        }
    }

    /** Lanes of these subscriptions have been handed back. */
    void unowned(Set<String> subscriptions) {
        boolean wanted = subscriptions.stream().map(runs::get).anyMatch(run -> run != null && run.wantsLanes());
        if (wanted && !draining) {
            serial.execute(this::renew);
        }
    }

    // ---- wake -------------------------------------------------------------------------------------------------------

    /** Something was committed in these lanes; null for the others. */
    public void wake(Function<Lane, Watch.@Nullable Commits> news) {
        runs.values().forEach(run -> run.wake(news));
    }

    void wakeAll() {
        runs.values().forEach(SubscriptionRun::wakeAll);
    }

    /** Something was appended, and its commit cannot be seen: look soon, and again. */
    public void expect() {
        watcher.hurry();
    }

    // ---- upkeep -----------------------------------------------------------------------------------------------------

    private void upkeep() {
        if (stopping) {
            return;
        }
        pruner.prune();
        runs.values().forEach(SubscriptionRun::maintain);
        upkeep = environment.schedule(limits.pruneEvery(), () -> upkeepSerial.execute(this::upkeep));
    }

    // ---- stop -------------------------------------------------------------------------------------------------------

    /** Hands everything back; completed when it is, or when {@code stopWait} is over. Further calls join the first. */
    public CompletableFuture<Void> stop() {
        if (stopCalled.compareAndSet(false, true)) {
            // A store that never answers must not keep a process from ending.
            StopWatch watch = new StopWatch(
                    environment,
                    runs.values(),
                    shared.circuits()::isQuiet,
                    limits.stopWait().plus(StopWatch.GRACE),
                    this::stopUnfinished);
            watch.start();
            left.whenComplete((nothing, failure) -> watch.end());
            serial.execute(this::handBack);
        }
        return left;
    }

    private void handBack() {
        stopping = true;
        upkeep.cancel();
        watcher.stop();
        ending.addAll(runs.values());
        CompletableFuture<Void> handedBack = CompletableFuture.allOf(
                ending.stream().map(SubscriptionRun::stop).toArray(CompletableFuture[]::new));
        Environment.Timer late =
                environment.schedule(limits.stopWait(), () -> ending.forEach(SubscriptionRun::stopNow));
        handedBack.whenComplete((nothing, failure) -> {
            late.cancel();
            // Behind what may still be under way, so that nothing of this node calls the store once it has left.
            upkeepSerial.execute(() -> watcher.whenIdle(() -> operations.stop(() -> serial.execute(this::leave))));
        });
    }

    private void stopUnfinished(int lanes) {
        if (!left.isDone()) {
            LOG.warn(
                    "Node {} closes without having handed back {} lanes, as the store does not answer; its lease ends"
                            + " by itself within {} ms, and what was handled but not settled is dispatched again",
                    id,
                    lanes,
                    limits.lease().toMillis());
            keeper.stop();
            left.complete(null);
        }
    }

    private void leave() {
        renewal.cancel();
        keeper.stop();
        if (started) {
            keeper.leave();
        }
        shared.circuits().stop();
        shared.lease().lost();
        left.complete(null);
    }
}
