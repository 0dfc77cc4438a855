package io.postrider.engine.dispatch;

import io.postrider.Environment;
import io.postrider.destination.Destination;
import io.postrider.destination.Outcome;
import io.postrider.engine.base.Lease;
import io.postrider.engine.base.MissingThreads;
import io.postrider.policy.RetryPolicy;
import io.postrider.text.Failure;
import io.postrider.text.Logs;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArraySet;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * The third verb: the workers of one subscription on one node, which take from its lanes' batches and call
 * destinations.
 *
 * <p>At most {@code concurrency} workers run. A worker takes the next as soon as it is free; further workers join only
 * when handlers are slow or one has been stuck for {@link #TICK}, because for fast handlers a second thread costs more
 * than it brings. The same tick finds what runs longer than {@code handlerTimeout}, beyond what its destination may
 * take by its own account: its event counts as failed, its destination is told, its thread is interrupted and, as
 * nobody knows when it returns, replaced.
 *
 * <p>No dispatch starts once the node's lease is over, its lane was taken away, its subscription is paused, or a
 * destination that can lose events was down since its lane verified what that destination has.
 */
public final class CallDispatcher implements Dispatcher {
    private static final Logger LOG = Logs.of(CallDispatcher.class);
    private static final Duration TICK = Duration.ofMillis(10);
    private static final long SLOW_NANOS = 20_000;

    private final SubscriptionSpec spec;
    private final Environment environment;
    private final Lease lease;
    private final Calls outside;
    private final Map<Destination, Patience> patience;
    private final BooleanSupplier paused;
    private final Windows room;
    private final MissingThreads threads;
    private final Queue<Batch> batches = new ConcurrentLinkedQueue<>();
    /** Flights that have not landed, in their order, so that a simulated run repeats itself. */
    private final Set<Flight> flights = new CopyOnWriteArraySet<>();

    private final Set<Made> calls = ConcurrentHashMap.newKeySet();
    private final AtomicInteger workers = new AtomicInteger();
    private final AtomicBoolean ticking = new AtomicBoolean();
    private volatile long usualNanos = SLOW_NANOS * 2;
    private final AtomicLong taken = new AtomicLong();
    private long takenAtLastTick;

    public CallDispatcher(
            SubscriptionSpec spec,
            Environment environment,
            NodeParts shared,
            Map<Destination, Circuit> circuits,
            BooleanSupplier paused) {
        this.spec = spec;
        this.environment = environment;
        this.lease = shared.lease();
        this.outside = new Calls(shared.time(), shared.observers(), shared.circuits());
        this.patience = circuits.keySet().stream().collect(Collectors.toMap(each -> each, Patience::of));
        this.paused = paused;
        this.room = new Windows(circuits, batches::isEmpty, this::join);
        this.threads = new MissingThreads("'" + spec.name() + "'");
    }

    /** A call that has not been answered. By its number and not by chance: the order of calls can be repeated. */
    private record Made(int number, Batch.Chunk chunk, PendingCall pending, long startedNanos) {
        @Override
        public boolean equals(@Nullable Object other) {
            return this == other;
        }

        @Override
        public int hashCode() {
            return number;
        }
    }

    /** What a destination may take beyond a timeout by its own account, asked once: its methods are the host's. */
    private record Patience(Duration time, String kind) {
        static Patience of(Destination destination) {
            return new Patience(destination.profile().patience(), destination.kind());
        }

        String beyond() {
            return time.isZero() ? "" : ", beyond the " + time.toMillis() + " ms that '" + kind + "' may take";
        }
    }

    @Override
    public void dispatch(Flight flight) {
        flights.add(flight);
        flight.batch().tells(new Batch.Listener() {
            @Override
            public void done(Batch batch) {
                land(flight);
            }

            @Override
            public void straggler(Item item) {
                flight.straggler(item);
            }
        });
        batches.add(flight.batch());
        join();
        tick();
    }

    private void land(Flight flight) {
        flights.remove(flight);
        flight.land(Landing.TO_SETTLE);
    }

    @Override
    public void cut(Flight flight, String why) {
        if (flight.batch().cut()) {
            land(flight);
        }
    }

    /** A slow flight starts nothing more; one with an event that runs for too long lands without it. */
    private void cutIfSlow(Flight flight) {
        Duration settleAfter = spec.limits().settleAfter();
        if (environment.nanos() - flight.startedNanos() >= settleAfter.toNanos()) {
            flight.batch().shorten();
            if (calls.stream()
                    .anyMatch(call -> call.chunk().batch() == flight.batch() && runsLonger(call, settleAfter))) {
                cut(flight, "an event of it runs for too long");
            }
        }
    }

    private boolean runsLonger(Made call, Duration time) {
        return environment.nanos() - call.startedNanos()
                > time.plus(patience(call).time()).toNanos();
    }

    private Patience patience(Made call) {
        return Objects.requireNonNull(patience.get(call.chunk().destination()), "every destination has a patience");
    }

    /** One more worker, if there may be one. */
    private void join() {
        int running = workers.get();
        if (running < spec.limits().concurrency() && workers.compareAndSet(running, running + 1)) {
            try {
                environment.handlers().execute(this::work);
            } catch (Throwable e) {
                workers.decrementAndGet(); // the next tick tries again, as long as there is something to do
                threads.missing(e);
            }
        }
    }

    private void work() {
        threads.found();
        boolean goesOn = false;
        try {
            if (!workOff()) {
                return;
            }
            goesOn = true;
        } catch (Throwable e) {
            LOG.error(
                    "A worker of '{}' failed unexpectedly; the next tick replaces it",
                    spec.name(),
                    Failure.tellable(e));
        }
        workers.decrementAndGet();
        if (goesOn && (room.again() || !(batches.isEmpty() || room.isAwaited()))) {
            join();
        }
    }

    /** Takes and calls until there is nothing; false if this worker was given up meanwhile, and replaced. */
    private boolean workOff() {
        for (Batch.Chunk chunk = next(); chunk != null; chunk = next()) {
            if (usualNanos > SLOW_NANOS && !batches.isEmpty()) {
                join();
            }
            if (!call(chunk)) {
                return false;
            }
        }
        return true;
    }

    private Batch.@Nullable Chunk next() {
        for (Batch batch = batches.peek(); batch != null; batch = batches.peek()) {
            if (!mayBegin(batch)) {
                batch.close();
            }
            Batch.Chunk chunk = batch.take(room);
            if (chunk != null && chunk.items().isEmpty()) {
                return null;
            }
            if (chunk != null) {
                taken.incrementAndGet();
                return chunk;
            }
            batches.remove(batch);
            if (batch.hasMore() && !batches.contains(batch)) {
                batches.add(batch);
            }
        }
        return null;
    }

    private boolean mayBegin(Batch batch) {
        return !paused.getAsBoolean() && lease.valid(batch.term()) && batch.isVerified();
    }

    /** Calls the destination; false if this worker was given up meanwhile, because the call took too long. */
    private boolean call(Batch.Chunk chunk) {
        Made call = new Made(taken.intValue(), chunk, new PendingCall(), environment.nanos());
        call.pending().enter(call.startedNanos());
        calls.add(call);
        tick();
        CompletableFuture<List<Outcome>> answer = attemptOrFail(call);
        boolean kept = call.pending().leave();
        if (answer.isDone()) {
            usualNanos = (usualNanos * 7 + (environment.nanos() - call.startedNanos())) / 8;
            finish(call, answer.join());
        } else {
            answer.thenAccept(outcomes -> finish(call, outcomes));
        }
        return kept;
    }

    private CompletableFuture<List<Outcome>> attemptOrFail(Made call) {
        try {
            return attempt(call);
        } catch (Throwable e) {
            Outcome failed = Outcome.retry(e);
            return CompletableFuture.completedFuture(
                    Collections.nCopies(call.chunk().items().size(), failed));
        }
    }

    private void finish(Made call, List<Outcome> outcomes) {
        if (!call.pending().end()) {
            return;
        }
        calls.remove(call);
        room.give(call.chunk().destination(), call.chunk().items().size());
        Batch batch = call.chunk().batch();
        finish(call.chunk(), outcomes);
        if (batch.hasMore() && !batches.contains(batch)) {
            batches.add(batch);
            join();
        }
    }

    /** One dispatch, and further ones at once while the policy has immediate attempts left. */
    private CompletableFuture<List<Outcome>> attempt(Made call) {
        Batch.Chunk chunk = call.chunk();
        CompletableFuture<List<Outcome>> answer = dispatchOnce(call);
        if (chunk.items().size() > 1 || chunk.items().get(0).row != null) {
            return answer;
        }
        Item item = chunk.items().get(0);
        RetryPolicy policy = spec.retryFor(item.event.type());
        while (answer.isDone()
                && answer.join().get(0).isFailedAttempt()
                && policy.againAtOnce(item.attempt)
                && !call.pending().hasEnded()
                && mayBegin(chunk.batch())) {
            item.attempt++;
            answer = dispatchOnce(call);
        }
        return answer;
    }

    private CompletableFuture<List<Outcome>> dispatchOnce(Made call) {
        Calls.Call made =
                outside.of(spec.name(), call.chunk().destination(), call.chunk().items());
        call.pending().makes(made);
        return made.dispatch();
    }

    private void tick() {
        if (!ticking.get() && ticking.compareAndSet(false, true)) {
            try {
                environment.schedule(TICK, this::onTick);
            } catch (Throwable e) {
                ticking.set(false);
                threads.missing(e);
            }
        }
    }

    private void onTick() {
        ticking.set(false);
        try {
            if (!batches.isEmpty() && taken.get() == takenAtLastTick) {
                join();
            }
            takenAtLastTick = taken.get();
            flights.forEach(this::cutIfSlow);
            calls.forEach(this::giveUpIfTooLong);
        } finally {
            if (!flights.isEmpty() || !calls.isEmpty()) {
                tick();
            }
        }
    }

    private void giveUpIfTooLong(Made call) {
        Duration timeout = spec.limits().handlerTimeout();
        if (!runsLonger(call, timeout)) {
            return;
        }
        Outcome late = TransactionalDestination.late(
                call.chunk().destination(),
                call.chunk().items().get(0).event.id(),
                "no answer within handlerTimeout, " + timeout.toMillis() + " ms"
                        + patience(call).beyond());
        PendingCall.GivenUp givenUp = call.pending().giveUp(late);
        if (givenUp == PendingCall.GivenUp.NO) {
            return;
        }
        calls.remove(call);
        room.give(call.chunk().destination(), call.chunk().items().size());
        if (givenUp == PendingCall.GivenUp.WITH_WORKER) {
            workers.decrementAndGet();
            join();
        }
        call.pending().tellGivenUp(); // before a next try, which a destination may send before what it has not sent yet
        List<Outcome> outcomes = Collections.nCopies(call.chunk().items().size(), late);
        finish(call.chunk(), outcomes);
    }

    /** A batch that cannot take an outcome, for want of memory say, is lost with its lane, which is claimed anew. */
    private void finish(Batch.Chunk chunk, List<Outcome> outcomes) {
        try {
            chunk.batch().finish(chunk, outcomes);
        } catch (Throwable e) {
            flights.stream()
                    .filter(flight -> flight.batch() == chunk.batch() && flights.remove(flight))
                    .forEach(flight -> flight.land(Landing.LOST));
            LOG.error("A batch of '{}' failed unexpectedly; its lane is claimed anew", spec.name(), e);
        }
    }
}
