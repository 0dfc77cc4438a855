package io.postrider.engine;

import io.postrider.Failure;
import io.postrider.Outcome;
import io.postrider.RetryPolicy;
import io.postrider.spi.ConflictException;
import io.postrider.spi.Destination;
import io.postrider.spi.Environment;
import io.postrider.spi.SettleWithin;
import io.postrider.spi.Settlement;
import io.postrider.spi.StoreException;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Dispatch and settle in one: a lane's batch is one transaction of the store, in which handlers run one after the other
 * and the settlement is written last. An event that fails is undone alone.
 *
 * <p>At most {@code concurrency} transactions are open. None starts another event once it has been open for
 * {@code settleAfter}, once the node's lease is over, or once its subscription is paused. A handler that runs longer
 * than {@code handlerTimeout} takes its transaction with it: it is rolled back, and the events before it are parked and
 * run again.
 */
final class EffectDispatcher<T> {
    private static final Logger LOG = LoggerFactory.getLogger(EffectDispatcher.class);
    /** How long a flight waits when no thread can be made for it. */
    private static final Duration NO_THREAD_PAUSE = Duration.ofMillis(100);

    private final SubscriptionSpec spec;
    private final Environment environment;
    private final Lease lease;
    private final Transactions<T> transactions;
    private final BooleanSupplier paused;
    private final Calls outside;
    private final Queue<EffectFlight> waiting = new ConcurrentLinkedQueue<>();
    private final AtomicInteger workers = new AtomicInteger();
    private final MissingThreads threads;

    EffectDispatcher(
            SubscriptionSpec spec,
            Environment environment,
            Node.Shared shared,
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

    private record Written(Settlement settlement, Verdicts verdicts) {}

    // ---- workers ----------------------------------------------------------------------------------------------------

    void dispatch(EffectFlight flight) {
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
        for (EffectFlight next = waiting.poll(); next != null; next = waiting.poll()) {
            if (!run(next)) {
                return;
            }
        }
        workers.decrementAndGet();
        if (!waiting.isEmpty()) {
            join();
        }
    }

    /** Gives a flight up and tells its lane, unless its settlement is under way; a stuck worker is replaced. */
    void giveUp(EffectFlight flight, String why) {
        EffectFlight.GivenUp givenUp = flight.giveUp(why);
        if (givenUp == EffectFlight.GivenUp.NO) {
            return;
        }
        if (givenUp == EffectFlight.GivenUp.WITH_WORKER) {
            workers.decrementAndGet();
            join();
        }
        flight.lane.undone();
    }

    // ---- one flight -------------------------------------------------------------------------------------------------

    /** False if the flight was given up, and this worker with it. */
    private boolean run(EffectFlight flight) {
        if (!flight.begin(Thread.currentThread(), environment.nanos())) {
            return true;
        }
        Written written;
        try {
            Batch.Chunk first = next(flight);
            if (first == null) {
                return endWithoutEffect(flight);
            }
            written = watched(flight, first);
        } catch (Throwable failure) {
            boolean sent = flight.isSettling();
            if (!flight.end()) {
                return false;
            }
            if (sent && failure instanceof Error) {
                Throwable told = Failure.tellable(failure);
                flight.lane.failing(new StoreException("what became of a commit is unknown: " + told, told));
            } else {
                rolledBack(flight, failure, sent);
            }
            return true;
        }
        flight.end();
        flight.flight.begun().forEach(item -> transactions.breaks().over(spec.name(), item.event.id()));
        flight.repeated.forEach(item -> transactions.tellRepeated(spec.name(), item.event));
        flight.lane.settled(written.settlement(), written.verdicts());
        return true;
    }

    private Written watched(EffectFlight flight, Batch.Chunk first) throws Exception {
        Watch watch = new Watch(flight);
        try {
            return transact(flight, first);
        } finally {
            watch.end();
        }
    }

    /** Nothing is dispatched, so nothing has to commit with the settlement. */
    private static boolean endWithoutEffect(EffectFlight flight) {
        boolean kept = flight.end();
        if (kept) {
            flight.lane.undone();
        }
        return kept;
    }

    private Written transact(EffectFlight flight, Batch.Chunk first) throws Exception {
        return transactions.transact().transact(transaction -> {
            for (Batch.Chunk chunk = first; chunk != null; chunk = next(flight)) {
                Outcome outcome = dispatch(transaction, flight, chunk);
                flight.batch().finish(chunk, List.of(outcome));
            }
            return settle(transaction, flight);
        });
    }

    private Batch.@Nullable Chunk next(EffectFlight flight) {
        Batch batch = flight.batch();
        if (!mayBegin(batch)) {
            batch.close();
        }
        Duration open = Duration.ofNanos(environment.nanos() - flight.flight.startedNanos());
        if (open.compareTo(spec.limits().settleAfter()) > 0 && batch.begun() > 0) {
            batch.shorten();
        }
        return batch.take(Room.UNBOUNDED);
    }

    private boolean mayBegin(Batch batch) {
        return !paused.getAsBoolean() && lease.valid(batch.term()) && batch.isVerified();
    }

    /** One dispatch, and further ones at once while the policy has immediate attempts left. */
    private Outcome dispatch(T transaction, EffectFlight flight, Batch.Chunk chunk) throws Exception {
        SettleWithin<T> within = transactions.settleWithin();
        Destination destination = within(chunk.destination(), transaction);
        Item item = chunk.items().get(0);
        RetryPolicy policy = spec.retryFor(item.event.type());
        while (true) {
            within.mark(transaction);
            requireMayBegin(flight);
            flight.called = item;
            if (isRepeated(transaction, flight, item)) {
                flight.repeated.add(item);
                return Outcome.DELIVERED;
            }
            requireMayBegin(flight); // the look for a record may have waited for another transaction
            Calls.Call call = outside.of(spec.name(), destination, chunk.items());
            flight.makes(call);
            Outcome outcome = call.dispatch().join().get(0);
            if (outcome instanceof Outcome.Delivered || flight.isGivenUp()) {
                return outcome;
            }
            within.undo(transaction);
            boolean again = Outcome.failed(outcome) && item.row == null && policy.againAtOnce(item.attempt);
            if (!again || !mayBegin(flight.batch())) {
                return outcome;
            }
            item.attempt++;
        }
    }

    private void requireMayBegin(EffectFlight flight) throws RolledBack {
        if (!flight.begins(environment.nanos())) {
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
    private boolean isRepeated(T transaction, EffectFlight flight, Item item) {
        return flight.draft.mayBeRecorded(item.event) && !transactions.isFirst(transaction, spec.name(), item.event);
    }

    /** A subscription that settles with its effect has been checked to have no other destinations. */
    @SuppressWarnings("unchecked")
    private Destination within(Destination destination, T transaction) {
        return ((TransactionalDestination<T, ?>) destination).within(transaction);
    }

    private Written settle(T transaction, EffectFlight flight) throws Exception {
        if (flight.called != null && transactions.breaks().suspects(spec.name(), flight.called.event.id())) {
            transactions.settleWithin().mark(transaction); // a break that its handler hides shows before the commit
        }
        if (!flight.settles()) {
            throw new RolledBack("given up");
        }
        Verdicts verdicts = new Verdicts(spec, environment);
        flight.flight.begun().forEach(verdicts::add);
        Settlement settlement = flight.draft.settlement(verdicts, flight.flight.after(flight.draft.cursor()));
        if (!transactions.settleWithin().settle(transaction, settlement)) {
            throw new RolledBack("lost");
        }
        return new Written(settlement, verdicts);
    }

    /** @param sent whether the settlement was on its way, so that it may have been committed */
    private void rolledBack(EffectFlight flight, Throwable failure, boolean sent) {
        if (failure instanceof RolledBack) {
            flight.lane.lost();
        } else if (failure instanceof ConflictException && !sent) {
            flight.batch().refuse(Outcome.postponed(null, String.valueOf(failure.getMessage())));
            flight.lane.undone();
        } else if (failure instanceof StoreException down && (!isBlamed(flight) || sent)) {
            flight.lane.failing(down);
        } else {
            LOG.warn(
                    "A transaction of {} was refused and is undone; its events are tried one by one",
                    flight.draft.ownership(),
                    Failure.tellable(failure));
            flight.batch().refuse(Outcome.retry(failure));
            flight.lane.undone();
        }
    }

    /** Whether the event that was handled last is what breaks the store's transactions. */
    private boolean isBlamed(EffectFlight flight) {
        Item called = flight.called;
        return called != null && transactions.breaks().blames(spec.name(), called.event.id());
    }

    /** Gives a flight up whose handler runs for too long. */
    private final class Watch {
        private final EffectFlight flight;
        private Environment.Timer timer;

        Watch(EffectFlight flight) {
            this.flight = flight;
            this.timer = environment.schedule(spec.limits().handlerTimeout(), this::look);
        }

        private synchronized void look() {
            Duration timeout = spec.limits().handlerTimeout();
            Long running = flight.runningNanos(environment.nanos());
            if (running == null) {
                return;
            }
            Duration left = timeout.minusNanos(running);
            if (left.isNegative() || left.isZero()) {
                giveUp(flight, "no answer within handlerTimeout, " + timeout.toMillis() + " ms");
            } else {
                timer = environment.schedule(left, this::look);
            }
        }

        synchronized void end() {
            timer.cancel();
        }
    }
}
