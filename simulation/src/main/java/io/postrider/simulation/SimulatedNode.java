package io.postrider.simulation;

import io.postrider.Postrider;
import io.postrider.PostriderConfig;
import io.postrider.SubscriptionBuilder;
import io.postrider.destination.Destination;
import io.postrider.memory.MemoryTransaction;
import io.postrider.policy.AfterDead;
import io.postrider.store.StoreException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** One process after the other under one number: each is a node of the production engine. */
final class SimulatedNode {
    private static final Duration START_AGAIN = Duration.ofMillis(300);

    private final World world;
    private final int number;
    private final Plan plan;
    private final Mutation mutation;
    private int processes;
    private int version;
    private boolean aborted;
    private SimulatedEnvironment process;
    private CompletableFuture<Postrider<MemoryTransaction>> engine = new CompletableFuture<>();

    SimulatedNode(World world, int number, Plan plan, Mutation mutation) {
        this.world = world;
        this.number = number;
        this.plan = plan;
        this.mutation = mutation;
        this.process = newProcess();
        this.process.kill();
    }

    private SimulatedEnvironment newProcess() {
        processes++;
        return mutation.mutated(
                new SimulatedEnvironment(world.scheduler(), world.random().split()));
    }

    private String name() {
        return "n" + number + "." + processes;
    }

    // ---- what happens to it -----------------------------------------------------------------------------------------

    /** Starts a process in place of one that is gone. */
    void start() {
        if (aborted) {
            return;
        }
        process = newProcess();
        engine = new CompletableFuture<>();
        world.trace().note(name(), "starts with version " + version);
        SimulatedEnvironment started = process;
        CompletableFuture<Postrider<MemoryTransaction>> ready = engine;
        String name = name();
        int has = version;
        world.scheduler().in(Duration.ZERO, started, () -> startEngine(started, name, has, ready));
    }

    private void startEngine(
            SimulatedEnvironment started, String name, int has, CompletableFuture<Postrider<MemoryTransaction>> ready) {
        Postrider<MemoryTransaction> postrider = Postrider.on(
                SimulatedStore.of(world, started, name),
                PostriderConfig.defaults().node(name).limits(plan.limits()).environment(started));
        try {
            for (Subscribed subscription : plan.subscribed()) {
                subscribe(
                        postrider,
                        subscription,
                        new Receiver(world, subscription, started, name, has, restart -> crash(started, restart)));
            }
            ready.complete(postrider);
        } catch (StoreException | PlannedError e) {
            // As a process does that cannot reach its store when it starts.
            crash(started, START_AGAIN);
        }
    }

    void crash(Duration restart) {
        crash(process, restart);
    }

    private void crash(SimulatedEnvironment killed, Duration restart) {
        if (killed.gone()) {
            return;
        }
        world.trace().note(name(), "is gone");
        killed.kill();
        world.scheduler().in(restart, Scheduler.Owner.WORLD, this::start);
    }

    void pause(Duration length) {
        world.trace().note(name(), "is paused for " + length);
        process.pause(length);
    }

    void jump(Duration by) {
        world.trace().note(name(), "has its clock jump by " + by);
        process.jump(by);
    }

    void leave(Duration rejoin) {
        world.trace().note(name(), "leaves");
        SimulatedEnvironment leaving = process;
        engine.thenAccept(postrider -> world.scheduler()
                .in(Duration.ZERO, leaving, () -> postrider.stop().thenRun(() -> crash(leaving, rejoin))));
    }

    /** The processes that follow have another version. */
    void deploy(Action.Deploy deploy) {
        version = deploy.version();
        if (deploy.killed()) {
            crash(deploy.rejoin());
        } else {
            leave(deploy.rejoin());
        }
    }

    /** None follows. */
    void abort() {
        world.trace().note(name(), "is aborted");
        aborted = true;
        process.kill();
    }

    // ---- what it runs -----------------------------------------------------------------------------------------------

    private void subscribe(Postrider<MemoryTransaction> postrider, Subscribed subscription, Receiver receiver) {
        SubscriptionBuilder<MemoryTransaction> builder = postrider
                .subscribe(subscription.subscription())
                .retry(Settings.RETRY)
                .afterDead(subscription.ordered() ? plan.afterDead() : AfterDead.GO_ON);
        if (plan.has(Theme.RETENTION)) {
            builder.retention(plan.retention(subscription));
        }
        if (!subscription.ordered() || mutation.letsFollowersThrough()) {
            builder.unordered();
        }
        if (subscription == Subscribed.DESTINATION) {
            Destination destination = receiver.destination();
            subscription.patterns(receiver.version()).forEach(pattern -> builder.to(pattern, destination));
        } else if (subscription == Subscribed.QUEUE) {
            builder.queue(Settings.QUEUE);
            subscription
                    .patterns(receiver.version())
                    .forEach(pattern -> builder.on(pattern, (payload, context) -> receiver.handle(context)));
        } else if (subscription == Subscribed.WITH_EFFECT) {
            withEffect(builder, receiver);
        } else if (subscription == Subscribed.EFFECTS) {
            builder.onTransaction("**", (transaction, payload, context) -> receiver.handle(transaction, context));
        } else {
            builder.on("**", (payload, context) -> receiver.handle(context));
        }
        builder.start();
    }

    private void withEffect(SubscriptionBuilder<MemoryTransaction> builder, Receiver receiver) {
        boolean settles = !plan.has(Theme.FORMS) || receiver.version() == 0;
        if (settles && plan.has(Theme.BATCHES)) {
            builder.onTransactionBatch("**", receiver::handleAll).settleWithEffect();
            return;
        }
        builder.onTransaction("**", (transaction, payload, context) -> receiver.handle(transaction, context));
        if (settles) {
            builder.settleWithEffect();
        }
    }
}
