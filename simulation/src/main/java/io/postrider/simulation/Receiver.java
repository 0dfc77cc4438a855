package io.postrider.simulation;

import io.postrider.BatchHandler;
import io.postrider.EventContext;
import io.postrider.StoredEvent;
import io.postrider.destination.Destination;
import io.postrider.destination.Guarded;
import io.postrider.destination.Outcome;
import io.postrider.memory.MemoryTransaction;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/** Where the events of a subscription arrive in one process, and what becomes of them there. */
final class Receiver {
    /** What an event fails with. */
    static final String UNSPEAKABLE = "as planned";

    private static final Duration RESTART = Duration.ofMillis(500);
    private static final Duration A_MOMENT = Duration.ofMillis(5);
    private static final Duration SLOW =
            Settings.LIMITS.subscriptions().settleAfter().multipliedBy(2);
    private static final Duration HANGING =
            Settings.LIMITS.subscriptions().handlerTimeout().multipliedBy(3);

    private final World world;
    private final Subscribed subscription;
    private final SimulatedEnvironment process;
    private final String name;
    private final int version;
    private final Consumer<Duration> crash;

    Receiver(
            World world,
            Subscribed subscription,
            SimulatedEnvironment process,
            String name,
            int version,
            Consumer<Duration> crash) {
        this.world = world;
        this.subscription = subscription;
        this.process = process;
        this.name = name;
        this.version = version;
        this.crash = crash;
    }

    /** The application's. */
    int version() {
        return version;
    }

    // ---- a handler: works while it is called ------------------------------------------------------------------------

    void handle(EventContext context) {
        process.requireAlive();
        Oracle.Arrival event = arrival(context);
        Behaviour.Kind kind = start(event);
        world.scheduler().sleep(lasting(kind), process);
        if (!end(event, kind)) {
            fail(kind);
        }
    }

    /** With an effect in the store, which is there when the transaction has committed. */
    void handle(MemoryTransaction transaction, EventContext context) {
        process.requireAlive();
        Oracle.Arrival event = arrival(context);
        world.trace().note(name, () -> "%s gets %s".formatted(subscription.subscription(), event));
        Behaviour.Kind kind =
                killedBy(world.behaviour(event.id()).at(world.oracle().begun(subscription, event)));
        world.scheduler().sleep(lasting(kind), process);
        fail(kind);
        transaction.onCommit(() -> world.oracle().effect(subscription, event));
    }

    /** Several in one transaction: the one that fails takes the effects of the others with it. */
    void handleAll(MemoryTransaction transaction, List<BatchHandler.Received<String>> events) {
        events.forEach(event -> handle(transaction, event.context()));
    }

    private static void fail(Behaviour.Kind kind) {
        if (kind == Behaviour.Kind.ERRS) {
            throw new PlannedError();
        } else if (kind == Behaviour.Kind.THROWS) {
            throw new IllegalStateException(UNSPEAKABLE);
        }
    }

    private Oracle.Arrival arrival(EventContext context) {
        return new Oracle.Arrival(context.id(), context.type(), context.key().orElse(""), context.attempt(), version);
    }

    // ---- a destination: answers later -------------------------------------------------------------------------------

    Destination destination() {
        SimulatedBroker.Link link = world.broker().link(process);
        return new Guarded() {
            @Override
            public Profile profile() {
                return new Profile("broker", 3, 5, Duration.ZERO);
            }

            @Override
            public void onCutOff(Consumer<String> listener) {
                link.onCutOff(listener);
            }

            @Override
            public CompletionStage<Void> probe() {
                process.requireAlive();
                return link.probe();
            }

            @Override
            public CompletionStage<List<Boolean>> verify(List<Sealed> seals) {
                process.requireAlive();
                return link.verify(seals);
            }

            @Override
            public CompletionStage<List<Outcome>> dispatch(List<Dispatch> dispatches) {
                return send(link, dispatches);
            }
        };
    }

    /** The broker takes the events at one time, and its answer arrives at another, or never. */
    private CompletionStage<List<Outcome>> send(SimulatedBroker.Link link, List<Destination.Dispatch> dispatches) {
        process.requireAlive();
        if (!link.isConnected()) {
            world.trace().note(name, subscription.subscription() + " is down");
            Outcome down = Outcome.down("nobody answers");
            return CompletableFuture.completedStage(Collections.nCopies(dispatches.size(), down));
        }
        long connection = link.connection();
        CompletableFuture<List<Outcome>> answer = new CompletableFuture<>();
        List<Behaviour.Kind> kinds = new ArrayList<>();
        List<Oracle.Arrival> events = dispatches.stream().map(this::arrival).toList();
        events.forEach(event -> kinds.add(start(event)));
        Duration longest =
                kinds.stream().map(this::lasting).max(Duration::compareTo).orElse(A_MOMENT);
        world.scheduler().in(longest, Scheduler.Owner.WORLD, () -> {
            List<Outcome> outcomes = new ArrayList<>();
            for (int i = 0; i < events.size(); i++) {
                outcomes.add(taken(link, connection, events.get(i), kinds.get(i)));
            }
            for (int copies = 0; copies < 2; copies++) { // a second answer to the same question changes nothing
                world.scheduler()
                        .in(
                                world.weather().way(),
                                process,
                                () -> answer.complete(outcomes.stream()
                                        .map(outcome -> link.hear(connection, outcome))
                                        .toList()));
            }
        });
        return answer;
    }

    private Outcome taken(SimulatedBroker.Link link, long connection, Oracle.Arrival event, Behaviour.Kind kind) {
        Outcome outcome =
                refuses(kind) ? link.hear(connection, Outcome.retry(UNSPEAKABLE)) : link.take(connection, event.id());
        if (outcome.isDown()) {
            world.oracle().unreached(subscription, event);
        } else {
            end(event, kind);
        }
        return outcome;
    }

    // ---- both -------------------------------------------------------------------------------------------------------

    private Oracle.Arrival arrival(Destination.Dispatch dispatch) {
        StoredEvent event = dispatch.event();
        return new Oracle.Arrival(event.id(), event.type(), String.valueOf(event.key()), dispatch.attempt(), version);
    }

    private Behaviour.Kind start(Oracle.Arrival event) {
        Behaviour behaviour = world.behaviour(event.id());
        world.trace().note(name, () -> "%s gets %s".formatted(subscription.subscription(), event));
        return killedBy(behaviour.at(world.oracle().started(subscription, event, process::gone)));
    }

    private Behaviour.Kind killedBy(Behaviour.Kind kind) {
        if (kind == Behaviour.Kind.KILLS) {
            crash.accept(RESTART);
            throw new Scheduler.Gone();
        }
        return kind;
    }

    private Duration lasting(Behaviour.Kind kind) {
        return switch (kind) {
            case TAKES, THROWS, ERRS, KILLS -> world.scheduler().moment(A_MOMENT);
            case IS_SLOW -> SLOW;
            case HANGS -> HANGING;
        };
    }

    private static boolean refuses(Behaviour.Kind kind) {
        return kind == Behaviour.Kind.THROWS || kind == Behaviour.Kind.ERRS;
    }

    /** False if the receiver refuses the event. */
    private boolean end(Oracle.Arrival event, Behaviour.Kind kind) {
        boolean takes = !refuses(kind);
        world.trace()
                .note(
                        name,
                        () -> "%s %s %s"
                                .formatted(subscription.subscription(), takes ? "takes" : "refuses", event.id()));
        if (takes) {
            world.oracle().taken(subscription, event);
        } else {
            world.oracle().refused(subscription, event);
        }
        return takes;
    }
}
