package io.postrider.simulation;

import io.postrider.EventId;
import io.postrider.Headers;
import io.postrider.Position;
import io.postrider.memory.MemoryTransaction;
import io.postrider.operate.By;
import io.postrider.operate.Delivery;
import io.postrider.operate.Operation;
import io.postrider.policy.AfterDead;
import io.postrider.policy.Schedule;
import io.postrider.store.Append;
import io.postrider.store.Claim;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/** Carries out a plan in virtual time. The same plan and the same code give the same trace. */
final class Run {
    /**
     * After the last fault of the plan, everything has settled within this: leases, retries and jumped clocks included.
     * Events that end their process go on doing so, and each attempt costs a lease: the slowest of thousands of plans
     * had some forty ends, and needed 93 s.
     */
    static final Duration SETTLES_WITHIN = Duration.ofSeconds(150);

    private static final Duration LOOK = Duration.ofMillis(250);
    private static final By OPERATOR = new By("operator", "the plan says so");

    private final Plan plan;
    private final Mutation mutation;
    private final World world;
    private final List<SimulatedNode> nodes = new ArrayList<>();

    /** What a run came to: the guarantee that did not hold, or null; and what happened, if that was asked for. */
    record Result(Plan plan, @Nullable String violation, List<String> trace) {
        boolean held() {
            return violation == null;
        }
    }

    private Run(Plan plan, Mutation mutation, boolean traced) {
        this.plan = plan;
        this.mutation = mutation;
        this.world = new World(plan, mutation, traced);
    }

    static Result of(Plan plan, Mutation mutation) {
        return new Run(plan, mutation, false).run();
    }

    /** The same, with its trace. */
    static Result traced(Plan plan, Mutation mutation) {
        return new Run(plan, mutation, true).run();
    }

    private Result run() {
        for (int number = 0; number < plan.nodes(); number++) {
            SimulatedNode node = new SimulatedNode(world, number, plan, mutation);
            nodes.add(node);
            at(Duration.ZERO, node::start);
        }
        plan.actions().forEach(action -> at(action.at(), () -> carryOut(action)));
        at(LOOK, this::look);
        String violation = null;
        try {
            world.scheduler().run();
        } catch (CompletionException e) {
            violation = e.getCause() instanceof Violation held ? held.getMessage() : "unexpected: " + e.getCause();
        }
        return new Result(plan, violation, world.trace().lines());
    }

    private void at(Duration time, Runnable task) {
        world.scheduler().at(time.toNanos(), Scheduler.Owner.WORLD, task);
    }

    // ---- actions ----------------------------------------------------------------------------------------------------

    private void carryOut(Action action) {
        if (action instanceof Action.Append append) {
            append(append);
        } else if (action instanceof Action.Crash crash) {
            nodes.get(crash.node()).crash(crash.restart());
        } else if (action instanceof Action.Pause pause) {
            nodes.get(pause.node()).pause(pause.length());
        } else if (action instanceof Action.ClockJump jump) {
            nodes.get(jump.node()).jump(jump.by());
        } else if (action instanceof Action.Leave leave) {
            nodes.get(leave.node()).leave(leave.rejoin());
        } else if (action instanceof Action.Deploy deploy) {
            nodes.get(deploy.node()).deploy(deploy);
        } else if (action instanceof Action.Abort abort) {
            nodes.get(abort.node()).abort();
        } else if (action instanceof Action.StoreFails fails) {
            told(action);
            world.weather().fails(fails.length(), fails.chance());
        } else if (action instanceof Action.StoreErrs errs) {
            told(action);
            world.weather().errs(errs.length(), errs.chance());
        } else if (action instanceof Action.StoreClockJump jump) {
            told(action);
            world.jumpStore(jump.by());
        } else if (action instanceof Action.Damage) {
            plan.subscribed().forEach(this::damage);
        } else if (action instanceof Action.StoreSlow slow) {
            told(action);
            world.weather().slow(slow.length(), slow.by());
        } else if (action instanceof Action.StoreCrash crash) {
            told(action);
            crashStore(crash);
        } else if (action instanceof Action.DestinationDown down) {
            told(action);
            world.broker().down(down.length(), plan.loses());
        } else if (action instanceof Action.Replay replay) {
            replay(replay);
        } else if (action instanceof Action.Decide decide) {
            for (Subscribed subscription : plan.subscribed()) {
                decide(subscription, decide.replay());
            }
        }
    }

    private void told(Action action) {
        world.trace().note("world", action.toString());
    }

    private void append(Action.Append append) {
        MemoryTransaction transaction = world.memory().begin();
        List<EventId> ids = new ArrayList<>();
        List<Append.Entry> entries = new ArrayList<>();
        for (int i = 0; i < append.items().size(); i++) {
            Action.Item item = append.items().get(i);
            EventId id = EventId.of("00000000-0000-7000-8000-%06d%06d".formatted(append.number(), i));
            ids.add(id);
            world.behaves(id, item.behaviour());
            flaw(id, item.flaw());
            entries.add(new Append.Entry(
                    id, item.type(), item.key(), "{}", Headers.NONE, null, schedule(item.expiresIn())));
        }
        world.memory().append().append(transaction, entries);
        world.trace().note("world", "appends " + append);
        at(append.at().plus(append.hold()), () -> end(append, transaction, ids));
    }

    private Schedule schedule(Duration expiresIn) {
        return expiresIn.isZero()
                ? Schedule.NONE
                : Schedule.NONE.expiresAt(world.storeNow().plus(expiresIn));
    }

    private void flaw(EventId id, Flaw flaw) {
        switch (flaw) {
            case NONE -> {}
            case UNREADABLE -> damage(id, "no event can be made of it");
            case UNSPEAKABLE ->
                world.memory()
                        .refuse(row -> row.id().equals(id)
                                && String.valueOf(row.error()).contains(Receiver.UNSPEAKABLE));
            case UNPARKABLE ->
                world.memory().refuse(row -> row.id().equals(id) && row.status() == Delivery.Status.WAITING);
        }
    }

    /** An event that waits in a delivery row of this subscription is gone for all of them. */
    private void damage(Subscribed subscription) {
        if (isRegistered(subscription)) {
            world.memory()
                    .browse()
                    .deliveries(subscription.subscription(), Delivery.Status.WAITING, new Position(0), 1)
                    .forEach(row -> damage(row.id(), Claim.ClaimedDelivery.GONE));
        }
    }

    private void damage(EventId id, String why) {
        world.trace().note("world", "damages " + id);
        world.memory().damage(id, why);
        world.oracle().log().damaged(id);
    }

    private void end(Action.Append append, MemoryTransaction transaction, List<EventId> ids) {
        boolean commits = append.end() != Action.Append.End.ROLLBACK && transaction.isOpen();
        world.trace().note("world", (commits ? "commits " : "rolls back ") + append.number());
        if (!commits) {
            world.oracle().log().rolledBack(ids);
            transaction.close();
            return;
        }
        transaction.commit();
        world.oracle().log().committed(ids, append.items());
        if (append.end() == Action.Append.End.COMMIT) {
            world.memory().flush();
        }
    }

    private void crashStore(Action.StoreCrash crash) {
        if (mutation.hidesStoreCrashes()) {
            world.oracle().log().vanished(world.memory().crashUnnoticed());
            return;
        }
        world.oracle().log().vanished(world.memory().crash());
        world.oracle().epochs().storeCrashed();
        world.storeDown(world.scheduler().nanos() + crash.downtime().toNanos());
    }

    private void decide(Subscribed subscription, boolean replay) {
        String name = subscription.subscription();
        if (!isRegistered(subscription)) {
            return; // No node has started yet, and the store refuses names that it does not know.
        }
        List<Delivery> dead = world.memory().browse().deliveries(name, Delivery.Status.DEAD, new Position(0), 1);
        for (Delivery row : dead) {
            world.trace().note("world", (replay ? "replays " : "discards ") + row.id() + " in " + name);
            if (replay) {
                world.oracle().replayed(subscription, row.id());
                world.memory().operate().replay(name, row.position(), OPERATOR);
            } else {
                world.oracle().discarded(subscription, row.id());
                world.memory().operate().discard(name, row.position(), OPERATOR);
            }
            world.memory().flush();
        }
    }

    /** Effects in the store are had once for each delivery that was asked for: those are left out. */
    private void replay(Action.Replay replay) {
        List<Subscribed> replayed = plan.subscribed().stream()
                .filter(each -> each != Subscribed.EFFECTS && each != Subscribed.WITH_EFFECT)
                .toList();
        Subscribed subscription = replayed.get(replay.which() % replayed.size());
        if (!isRegistered(subscription)) {
            return;
        }
        told(replay);
        Operation.Target target =
                Operation.Target.dead(subscription.subscription()).states(Set.of(replay.standing()));
        Position middle = new Position(world.memory().watch().now().position() / 2);
        Operation.Pace pace = Operation.Pace.UNLIMITED.canary(replay.canary(), 0);
        world.memory()
                .operations()
                .start(
                        Operation.Kind.REPLAY,
                        mutation.endsOperationsEarly() ? target.positions(null, middle) : target,
                        pace,
                        OPERATOR)
                .ifPresent(operation -> {
                    world.oracle().operations().started(operation.id(), subscription, replay.standing());
                    if (!replay.cancelled().isZero()) {
                        at(replay.at().plus(replay.cancelled()), () -> cancel(operation.id()));
                    }
                });
        world.memory().flush();
    }

    private void cancel(long operation) {
        world.trace().note("world", "cancels operation " + operation);
        world.memory().operations().cancel(operation, OPERATOR);
        world.memory().flush();
    }

    private boolean isRegistered(Subscribed subscription) {
        return world.memory().browse().subscriptions().contains(subscription.subscription());
    }

    // ---- verdict ----------------------------------------------------------------------------------------------------

    private void look() {
        long now = world.scheduler().nanos();
        boolean quiet = world.oracle().operations().allEnded();
        for (Subscribed subscription : plan.subscribed()) {
            if (isRegistered(subscription)) {
                world.oracle().requireLedger(subscription);
                quiet &= world.oracle().isQuiet(subscription);
            } else {
                quiet = false;
            }
        }
        boolean calm = now > Plan.LENGTH.plusSeconds(5).toNanos();
        if (calm && !quiet && plan.afterDead() == AfterDead.STAY_BLOCKED) {
            plan.subscribed().stream().filter(Subscribed::ordered).forEach(each -> decide(each, false));
        }
        if (calm && quiet) {
            for (Subscribed subscription : plan.subscribed()) {
                world.oracle().requireEnd(subscription);
            }
            // An operation leaves out what was touched after it began, by the store's clock.
            if (!plan.has(Theme.STORE_CLOCK)) {
                world.oracle().operations().requireEnd();
            }
            world.scheduler().end(null);
            return;
        }
        if (now > Plan.LENGTH.plus(SETTLES_WITHIN).toNanos()) {
            if (!world.oracle().operations().allEnded()) {
                throw world.oracle()
                        .fail(
                                "liveness: an operation has not ended: %s",
                                world.memory().operations().list(null, Long.MAX_VALUE, 10));
            }
            for (Subscribed subscription : plan.subscribed()) {
                if (!world.oracle().isQuiet(subscription)) {
                    throw world.oracle()
                            .fail(
                                    "liveness: %s has not settled: %s, lost and not given again: %s",
                                    subscription.subscription(),
                                    world.memory().browse().ledger(subscription.subscription()),
                                    world.oracle().missing(subscription));
                }
            }
        }
        at(Duration.ofNanos(now).plus(LOOK), this::look);
    }
}
