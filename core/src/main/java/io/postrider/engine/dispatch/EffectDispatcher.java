package io.postrider.engine.dispatch;

import io.postrider.Environment;
import io.postrider.destination.Destination;
import io.postrider.destination.Outcome;
import io.postrider.engine.base.Lease;
import io.postrider.engine.base.MissingThreads;
import io.postrider.policy.RetryPolicy;
import io.postrider.store.ConflictException;
import io.postrider.store.SettleWithin;
import io.postrider.store.Settlement;
import io.postrider.store.StoreException;
import io.postrider.text.Failure;
import io.postrider.text.Logs;
import io.postrider.text.Printable;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Dispatch and settle in one: a lane's batch is one transaction of the store, in which handlers run one after the other
 * and the settlement is written last. An event that fails is undone alone. Where a handler takes several events at
 * once, a failure undoes the transaction, and a second one handles each event of the flight alone.
 *
 * <p>At most {@code concurrency} transactions are open. None starts another event once it has been open for
 * {@code settleAfter}, once the node's lease is over, or once its subscription is paused. A handler that runs longer
 * than {@code handlerTimeout} takes its transaction with it: it is rolled back, and the events before it are parked and
 * run again.
 */
public final class EffectDispatcher<T> implements Dispatcher {
    private static final Logger LOG = Logs.of(EffectDispatcher.class);
    /** How long a flight waits when no thread can be made for it. */
    private static final Duration NO_THREAD_PAUSE = Duration.ofMillis(100);

    private static final int WHY_MAX = 2_000;

    private final SubscriptionSpec spec;
    private final Environment environment;
    private final Lease lease;
    private final Transactions<T> transactions;
    private final BooleanSupplier paused;
    private final Calls outside;
    private final Queue<Flight> waiting = new ConcurrentLinkedQueue<>();
    private final AtomicInteger workers = new AtomicInteger();
    private final MissingThreads threads;

    public EffectDispatcher(
            SubscriptionSpec spec,
            Environment environment,
            NodeParts shared,
            Transactions<T> transactions,
            BooleanSupplier paused) {
        this.spec = spec;
        this.environment = environment;
        this.lease = shared.lease();
        this.transactions = transactions;
        this.paused = paused;
        this.outside = new Calls(shared.time(), shared.observers(), shared.circuits());
        this.threads = new MissingThreads("'" + spec.name() + "'");
    }

    /** What is thrown so that a transaction is rolled back. */
    private static final class RolledBack extends Exception {
        private static final long serialVersionUID = 1L;

        RolledBack(String why) {
            super(why, null, false, false);
        }
    }

    /**
     * A batch of several events failed, of which one may be to blame: thrown so that its transaction is rolled back.
     */
    private static final class BatchFailed extends Exception {
        private static final long serialVersionUID = 1L;

        BatchFailed(Outcome outcome) {
            super(outcome.why(), outcome.cause(), false, false);
        }
    }

    // ---- workers ----------------------------------------------------------------------------------------------------

    @Override
    public void dispatch(Flight flight) {
        waiting.add(flight);
        join();
    }

    /** One more worker, if there may be one. */
    private void join() {
        int most = spec.limits().concurrency();
        if (workers.getAndUpdate(running -> Math.min(running + 1, most)) < most) {
            try {
                environment.handlers().execute(this::work);
            } catch (Throwable e) {
                workers.decrementAndGet();
                threads.missing(e);
                environment.schedule(NO_THREAD_PAUSE, this::join);
            }
        }
    }

    private void work() {
        threads.found();
        for (Flight next = waiting.poll(); next != null; next = waiting.poll()) {
            if (!runOrLose(next)) {
                return;
            }
        }
        workers.decrementAndGet();
        if (!waiting.isEmpty()) {
            join();
        }
    }

    /**
     * Gives a flight up, unless its settlement is under way: the event whose handler runs has failed. Where none runs,
     * because the flight waits for the store, the event is put off, and no attempt counts.
     */
    @Override
    public void cut(Flight flight, String why) {
        Outcome failed = flight.isHandling() ? Outcome.retry(why) : Outcome.postponed(null, why);
        PendingCall.GivenUp givenUp =
                flight.transaction().giveUp(failed, () -> flight.batch().giveUp(failed));
        if (givenUp == PendingCall.GivenUp.NO) {
            return;
        }
        if (givenUp == PendingCall.GivenUp.WITH_WORKER) {
            workers.decrementAndGet();
            join();
        }
        flight.transaction().tellGivenUp();
        flight.land(Landing.TO_SETTLE);
    }

    // ---- one flight -------------------------------------------------------------------------------------------------

    /** A flight that fails unexpectedly, for want of memory say, is lost with its lane, which is claimed anew. */
    private boolean runOrLose(Flight flight) {
        try {
            return run(flight);
        } catch (Throwable e) {
            flight.land(Landing.LOST);
            LOG.error("A worker of '{}' failed unexpectedly; the lane is claimed anew", spec.name(), e);
            return true;
        }
    }

    /** False if the flight was given up, and this worker with it. */
    private boolean run(Flight flight) {
        if (!flight.transaction().enter(environment.nanos())) {
            return true;
        }
        EffectRun run = new EffectRun(flight, mustBeApart(flight));
        Landing landing;
        try {
            Batch.Chunk first = next(run);
            // If nothing is dispatched, nothing has to commit with the settlement.
            landing = first == null ? Landing.TO_SETTLE : watched(run, first);
        } catch (Throwable failure) {
            if (!run.end()) {
                return false;
            }
            flight.land(rolledBack(run, failure));
            return true;
        }
        if (!run.end()) {
            return false;
        }
        if (run.sent) {
            flight.begun().forEach(item -> transactions.breaks().over(spec.name(), item.event.id()));
            run.repeated.forEach(item -> transactions.tellRepeated(spec.name(), item.event));
        }
        flight.land(landing);
        return true;
    }

    private boolean mustBeApart(Flight flight) {
        return flight.batch().items().stream()
                .anyMatch(item -> flight.draft().mayBeRecorded(item.event)
                        || transactions.breaks().last(spec.name(), item.event.id()));
    }

    private Landing watched(EffectRun run, Batch.Chunk first) throws Exception {
        SlowWatch watch = new SlowWatch(environment, spec.limits().handlerTimeout(), run.flight, this::cut);
        try {
            return transact(run, first);
        } catch (BatchFailed failed) {
            return apart(run, failed);
        } finally {
            watch.end();
        }
    }

    /** The transaction of a batch is undone: all of the flight once more, and each event alone. */
    private Landing apart(EffectRun run, BatchFailed failed) throws Exception {
        LOG.warn(
                "A batch of {} events of {} failed and is undone, each event is handled alone: {}",
                run.called.size(),
                run.flight.draft().ownership(),
                Printable.of(failed.getMessage(), WHY_MAX));
        LOG.debug("The batch failed with this", failed);
        if (!run.batch().takeBack()) {
            throw new RolledBack("given up");
        }
        run.again(environment.nanos());
        Batch.Chunk first = next(run);
        return first == null ? Landing.TO_SETTLE : transact(run, first);
    }

    private Landing transact(EffectRun run, Batch.Chunk first) throws Exception {
        return transactions.transact().transact(transaction -> {
            for (Batch.Chunk chunk = first; chunk != null; chunk = next(run)) {
                List<Outcome> outcomes = chunk.items().size() > 1
                        ? together(transaction, run, chunk)
                        : List.of(dispatch(transaction, run, chunk));
                run.batch().finish(chunk, outcomes);
            }
            return settle(transaction, run);
        });
    }

    private Batch.@Nullable Chunk next(EffectRun run) {
        Batch batch = run.batch();
        if (!mayBegin(batch)) {
            batch.close();
        }
        Duration open = Duration.ofNanos(environment.nanos() - run.openedNanos);
        if (open.compareTo(spec.limits().settleAfter()) > 0 && batch.begun() > 0) {
            batch.shorten();
        }
        return batch.take(run.apart ? Room.OF_ONE : Room.UNBOUNDED);
    }

    private boolean mayBegin(Batch batch) {
        return !paused.getAsBoolean() && lease.valid(batch.term()) && batch.isVerified();
    }

    /** Several events by one call and without a mark: if one of them fails, nothing of the transaction stays. */
    private List<Outcome> together(T transaction, EffectRun run, Batch.Chunk chunk) throws Exception {
        requireMayBegin(run.flight);
        run.called = chunk.items();
        Calls.Call call = outside.of(spec.name(), within(chunk.destination(), transaction), chunk.items());
        run.flight.transaction().makes(call);
        List<Outcome> outcomes = call.dispatch().join();
        Outcome first = outcomes.get(0);
        if (!first.isDelivered() && !run.flight.transaction().hasEnded()) {
            throw new BatchFailed(first);
        }
        return outcomes;
    }

    /** One dispatch, and further ones at once while the policy has immediate attempts left. */
    private Outcome dispatch(T transaction, EffectRun run, Batch.Chunk chunk) throws Exception {
        SettleWithin<T> within = transactions.settleWithin();
        Destination destination = within(chunk.destination(), transaction);
        Item item = chunk.items().get(0);
        RetryPolicy policy = spec.retryFor(item.event.type());
        while (true) {
            within.mark(transaction);
            requireMayBegin(run.flight);
            run.called = chunk.items();
            try {
                if (isRepeated(transaction, run, item)) {
                    run.repeated.add(item);
                    return Outcome.DELIVERED;
                }
            } catch (ConflictException e) {
                within.undo(transaction);
                return Outcome.postponed(null, String.valueOf(e.getMessage()));
            }
            requireMayBegin(run.flight); // the look for a record may have waited for another transaction
            Calls.Call call = outside.of(spec.name(), destination, chunk.items());
            run.flight.transaction().makes(call);
            Outcome outcome = handled(run.flight, call);
            if (outcome.isDelivered() || run.flight.transaction().hasEnded()) {
                return outcome;
            }
            within.undo(transaction);
            boolean again = outcome.isFailedAttempt() && item.row == null && policy.againAtOnce(item.attempt);
            if (!again || !mayBegin(run.batch())) {
                return outcome;
            }
            item.attempt++;
        }
    }

    private static Outcome handled(Flight flight, Calls.Call call) {
        flight.handles(true);
        try {
            return call.dispatch().join().get(0);
        } finally {
            flight.handles(false);
        }
    }

    private void requireMayBegin(Flight flight) throws RolledBack {
        if (!flight.transaction().enter(environment.nanos())) {
            throw new RolledBack("given up");
        }
        if (!lease.valid(flight.batch().term())) {
            throw new RolledBack("the lease is over");
        }
    }

    /**
     * Whether a node that keeps records has had the event's effect. The event is recorded here as well: such a node may
     * have written its record in a transaction that is still open, and then this one waits for its end.
     */
    private boolean isRepeated(T transaction, EffectRun run, Item item) {
        return run.flight.draft().mayBeRecorded(item.event)
                && !transactions.isFirst(transaction, spec.name(), item.event);
    }

    /** A subscription that settles with its effect has been checked to have no other destinations. */
    @SuppressWarnings("unchecked")
    private Destination within(Destination destination, T transaction) {
        return ((WithinTransaction<T>) destination).within(transaction);
    }

    private Landing settle(T transaction, EffectRun run) throws Exception {
        Flight flight = run.flight;
        if (run.called.stream().anyMatch(item -> transactions.breaks().suspects(spec.name(), item.event.id()))) {
            transactions.settleWithin().mark(transaction); // a break that its handler hides shows before the commit
        }
        run.sent = flight.transaction().end(); // from now on nobody can give the flight up
        if (!run.sent) {
            throw new RolledBack("given up");
        }
        Verdicts verdicts = Verdicts.of(flight.begun(), spec, environment);
        Settlement settlement = flight.draft().settlement(verdicts, flight.after());
        if (!transactions.settleWithin().settle(transaction, settlement)) {
            throw new RolledBack("lost");
        }
        return new Landing.Settled(settlement, verdicts);
    }

    private Landing rolledBack(EffectRun run, Throwable failure) {
        if (failure instanceof RolledBack) {
            return Landing.LOST;
        }
        if (run.sent && failure instanceof Error) {
            Throwable told = Failure.tellable(failure);
            return new Landing.StoreFailed(new StoreException("what became of a commit is unknown: " + told, told));
        }
        if (failure instanceof ConflictException && !run.sent) {
            run.batch().refuse(Outcome.postponed(null, String.valueOf(failure.getMessage())));
            return Landing.TO_SETTLE;
        }
        if (failure instanceof StoreException down && (!isBlamed(run) || run.sent)) {
            return new Landing.StoreFailed(down);
        }
        LOG.warn(
                "A transaction of {} was refused and is undone; its events are tried one by one",
                run.flight.draft().ownership(),
                Failure.tellable(failure));
        run.batch().refuse(Outcome.retry(failure));
        return Landing.TO_SETTLE;
    }

    /** Whether the event that was handled last is what breaks the store's transactions; of several, nobody knows. */
    private boolean isBlamed(EffectRun run) {
        long blamed = run.called.stream()
                .filter(item -> transactions.breaks().blames(spec.name(), item.event.id()))
                .count();
        return blamed > 0 && run.called.size() == 1;
    }
}
