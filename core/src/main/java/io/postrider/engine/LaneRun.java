package io.postrider.engine;

import io.postrider.spi.Claim;
import io.postrider.spi.Cursor;
import io.postrider.spi.Environment;
import io.postrider.spi.Ownership;
import io.postrider.spi.Page;
import io.postrider.spi.Store;
import io.postrider.spi.StoreException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One lane of a subscription while this node owns it: claim → dispatch → settle, one batch after the other.
 *
 * <p>A batch is made of delivery rows that are due and of new events behind the cursor. It settles when every event has
 * an outcome, or when one has been running for {@code settleAfter}: that one becomes a {@code running} row, reports
 * when it ends, and the lane goes on without it. When the store fails or fences us, the lane is dropped, and claimed
 * anew with what is stored.
 *
 * <p>Everything runs on {@link #serial}, so nothing here needs a lock; the package-private methods come from outside.
 */
final class LaneRun {
    private static final Logger LOG = LoggerFactory.getLogger(LaneRun.class);
    /** A lane that was taken over this often without a settle in between has an event that ends its process. */
    private static final int POISON_TAKEOVERS = 2;
    /** How long a lane waits for its node's lease to be renewed before it looks again. */
    private static final Duration LEASE_PAUSE = Duration.ofMillis(50);

    private final Store<?> store;
    private final Environment environment;
    private final SubscriptionSpec spec;
    private final LaneOwner owner;
    private final Serial serial;
    private final LaneState state;
    private final LaneClaim claim;
    private final BatchSize size;
    private final Unsettled unsettled = new Unsettled();
    /** One object, so that the budget remembers a waiting lane once. */
    private final Runnable wakeUp = this::called;

    private final long term;
    private boolean poisoned;
    /**
     * Whether something of this owner has settled, or there was nothing to dispatch: only then it settles what earlier
     * owners left running, because a settle forgets takeovers, and an event that ends the process might hide behind it.
     */
    private boolean proven;

    private int stragglers;
    private long requests;
    private long settledNanos;
    private boolean stopping;
    private boolean ended;
    private @Nullable InFlight inFlight;
    private Environment.Timer timer = () -> {};

    private record InFlight(Batch batch, LaneClaim.Claimed claimed, Reserved reserved, long startedNanos) {}

    /** What a batch takes of the node's budget. */
    private record Reserved(long events, long bytes) {}

    LaneRun(
            Store<?> store,
            Environment environment,
            SubscriptionSpec spec,
            LaneOwner owner,
            Claim.ClaimedLane claimed) {
        this.store = store;
        this.environment = environment;
        this.spec = spec;
        this.owner = owner;
        this.serial = new Serial(environment.engine());
        this.state = new LaneState(claimed, spec, environment::now);
        this.claim = new LaneClaim(store, environment, spec, state, owner);
        this.size = new BatchSize(spec.limits());
        this.term = owner.term();
        this.settledNanos = environment.nanos();
        this.poisoned = claimed.takeovers() >= POISON_TAKEOVERS;
        unsettled.leftRunning(claimed.deliveries(), poisoned);
    }

    Ownership ownership() {
        return state.ownership();
    }

    // ---- the path -------------------------------------------------------------------------------------------------

    private void step() {
        if (inFlight != null || ended || stopping || (proven && !guarded(this::settleFinished)) || owner.paused()) {
            return;
        }
        if (!owner.leaseIsValid(term)) {
            schedule(LEASE_PAUSE, this::wake);
            return;
        }
        Reserved most = new Reserved(size.events(), spec.limits().batchBytes());
        if (!owner.budget().take(most.events(), most.bytes(), wakeUp)) {
            return;
        }
        guarded(() -> {
            LaneClaim.Claimed claimed = claim.claim(size.events());
            Page page = claimed.page();
            if (claimed.isEmpty()) {
                rest(page);
            } else if (spec.isQueue() && page != null) {
                parkTasks(claimed, page);
            } else if (poisoned && page != null) {
                parkSuspects(claimed, page);
            } else {
                dispatch(claimed, most);
            }
        });
        if (inFlight == null) {
            owner.budget().give(most.events(), most.bytes());
        }
    }

    /** What was reserved and not needed goes back at once, for other lanes. */
    private void dispatch(LaneClaim.Claimed claimed, Reserved most) {
        Batch batch = new Batch(claim.items(claimed), spec.afterDead(), term, environment::now, new Reports());
        Reserved needed =
                new Reserved(Math.min(claimed.size(), most.events()), Math.min(claimed.bytes(), most.bytes()));
        inFlight = new InFlight(batch, claimed, needed, environment.nanos());
        owner.budget().give(most.events() - needed.events(), most.bytes() - needed.bytes());
        owner.dispatcher().dispatch(batch);
        settleLater(batch, spec.limits().settleAfter());
    }

    private void settle(Batch batch) {
        InFlight flight = inFlight;
        if (flight == null || flight.batch() != batch) {
            return;
        }
        inFlight = null;
        owner.budget().give(flight.reserved().events(), flight.reserved().bytes());
        int rows = flight.claimed().rows().size();
        List<Item> begun = batch.items().subList(0, Math.max(batch.begun(), rows));
        stragglers += (int) begun.stream().filter(item -> item.straggler).count();
        if (ended) {
            endIfQuiet();
            return;
        }
        boolean settled = guarded(() -> {
            Verdicts verdicts = new Verdicts(spec, environment);
            begun.forEach(verdicts::add);
            Page page = flight.claimed().page();
            settle(verdicts, page == null ? state.cursor() : state.cursor().advance(page, begun.size() - rows));
        });
        if (settled) {
            proven = true;
            size.settledWithin(Duration.ofNanos(environment.nanos() - flight.startedNanos()));
            again();
        }
    }

    // ---- park -----------------------------------------------------------------------------------------------------

    private void parkSuspects(LaneClaim.Claimed claimed, Page page) {
        poisoned = false;
        settle(claim.parkSuspects(claimed), state.cursor().advance(page, page.size()));
        again();
    }

    /** In a queue every event is a task: parked at once, and claimed row by row by whoever has room. */
    private void parkTasks(LaneClaim.Claimed claimed, Page page) {
        settle(claim.parkTasks(claimed), state.cursor().advance(page, page.size()));
        if (!ended) {
            proven = true;
            size.settledWithin(Duration.ZERO);
            owner.fed(page.size());
            again();
        }
    }

    // ---- settle ---------------------------------------------------------------------------------------------------

    private void settle(Verdicts verdicts, Cursor next) {
        if (state.settle(store, verdicts, next, owner.observers())) {
            settledNanos = environment.nanos();
        } else {
            LOG.warn("{} was lost before it settled: some events may be delivered a second time", ownership());
            end(null);
        }
    }

    private void settleLater(Batch batch, Duration after) {
        schedule(after, () -> serial.execute(() -> settleIfSlow(batch)));
    }

    /** A slow batch starts nothing more; one with an event that runs for too long is settled without it. */
    private void settleIfSlow(Batch batch) {
        if (inFlight == null || inFlight.batch() != batch || ended) {
            return;
        }
        Duration settleAfter = spec.limits().settleAfter();
        batch.shorten();
        if (!owner.dispatcher().runsLongerThan(batch, settleAfter)) {
            settleLater(batch, settleAfter.dividedBy(4).plusMillis(1));
        } else if (batch.cut()) {
            settle(batch);
        }
    }

    private void settleFinished() {
        if (!unsettled.isEmpty()) {
            Verdicts verdicts = new Verdicts(spec, environment);
            unsettled.moveTo(verdicts);
            settle(verdicts, state.cursor());
        }
    }

    /** What a batch reports, on whatever thread. */
    private final class Reports implements Batch.Listener {
        @Override
        public void done(Batch batch) {
            serial.execute(() -> settle(batch));
        }

        @Override
        public void straggler(Item item) {
            serial.execute(() -> {
                stragglers--;
                unsettled.straggler(item, environment.now());
                if (ended) {
                    endIfQuiet();
                } else {
                    again();
                }
            });
        }
    }

    // ---- between batches --------------------------------------------------------------------------------------------

    private void again() {
        if (stopping) {
            handBack();
        } else {
            serial.execute(this::step);
        }
    }

    /** Nothing to do until someone wakes the lane, a row is due, or it is time to look again. */
    private void rest(@Nullable Page empty) {
        proven = true;
        settleFinished();
        if (ended) {
            return;
        }
        Duration sinceSettle = Duration.ofNanos(environment.nanos() - settledNanos);
        boolean longAgo = sinceSettle.compareTo(spec.limits().rereadEvery()) >= 0;
        if (empty != null && state.movesOn(empty, longAgo)) {
            settle(new Verdicts(spec, environment), state.cursor().advance(empty, 0));
            if (ended || empty.more()) {
                again();
                return;
            }
        }
        Duration pause = spec.limits().rereadEvery();
        Instant due = state.parked().nextDue().orElse(Instant.MAX);
        if (due.isBefore(environment.now().plus(pause))) {
            pause = Duration.between(environment.now(), due);
        }
        schedule(pause.isNegative() ? Duration.ZERO : pause, this::wake);
    }

    private void schedule(Duration delay, Runnable task) {
        timer.cancel();
        timer = environment.schedule(delay, task);
    }

    // ---- from outside -----------------------------------------------------------------------------------------------

    /** There may be something new. */
    void wake() {
        serial.execute(this::step);
    }

    /** The budget may have enough for this lane; if it does not take it, the next in the line may. */
    private void called() {
        serial.execute(() -> {
            step();
            owner.budget().next();
        });
    }

    /** An operator has asked this often; another number than before means that rows have changed. */
    void requested(long count) {
        serial.execute(() -> {
            boolean asked = count != requests && !ended;
            if (asked && guarded(() -> state.remember(store.deliveries(ownership(), spec.rows())))) {
                requests = count;
                again();
            }
        });
    }

    /** Begins nothing more of what it has claimed; what runs goes on, and settles. */
    void pause() {
        serial.execute(this::closeBatch);
    }

    private void closeBatch() {
        if (inFlight != null) {
            inFlight.batch().close();
        }
    }

    /** Finishes what is running, settles it and hands the lane back. */
    void stop() {
        serial.execute(() -> {
            stopping = true;
            if (inFlight != null) {
                inFlight.batch().close();
            } else {
                handBack();
            }
        });
    }

    /** Settles what there is, and hands the lane back although some of it is still running. */
    void stopNow() {
        serial.execute(() -> {
            stopping = true;
            if (inFlight != null && inFlight.batch().cut()) {
                settle(inFlight.batch());
            }
            // Whoever still runs reports to nobody from now on.
            stragglers = 0;
            if (ended) {
                endIfQuiet();
            } else {
                handBack();
            }
        });
    }

    /** The lane is lost: nothing of it is settled any more. */
    void lost() {
        serial.execute(() -> end(null));
    }

    private void handBack() {
        if (ended || inFlight != null || stragglers > 0) {
            return;
        }
        guarded(() -> {
            settleFinished();
            if (!ended) {
                store.release(List.of(ownership()));
            }
        });
        end(null);
    }

    /** Runs something that calls the store; false if the lane has ended by then. */
    private boolean guarded(Runnable work) {
        try {
            work.run();
        } catch (StoreException e) {
            end(e);
        } catch (RuntimeException e) {
            LOG.error("{} stumbled; it is claimed anew with the next renewal, with what is stored", ownership(), e);
            end(null);
        }
        return !ended;
    }

    private void end(@Nullable StoreException failure) {
        if (ended) {
            return;
        }
        ended = true;
        claim.end();
        timer.cancel();
        closeBatch();
        if (failure != null) {
            owner.failing(failure);
        }
        endIfQuiet();
    }

    private void endIfQuiet() {
        if (inFlight == null && stragglers == 0) {
            owner.ended(this);
        }
    }
}
