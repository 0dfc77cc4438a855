package io.postrider.engine;

import io.postrider.Failure;
import io.postrider.spi.Claim;
import io.postrider.spi.Environment;
import io.postrider.spi.Ownership;
import io.postrider.spi.Page;
import io.postrider.spi.Settlement;
import io.postrider.spi.Store;
import io.postrider.spi.StoreException;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One lane of a subscription while this node owns it: claim → dispatch → settle, one batch after the other.
 *
 * <p>A batch is made of delivery rows that are due and of new events behind the cursor. It settles when every event has
 * an outcome, or when one has been running for {@code settleAfter}: that one becomes a {@code running} row, reports
 * when it ends, and the lane goes on without it. When the store fails or fences us, or anything is thrown that nobody
 * expects, the lane is dropped, and claimed anew with what is stored.
 *
 * <p>Everything runs on {@link #serial}, so nothing here needs a lock; the package-private methods come from outside.
 */
final class LaneRun implements LaneDispatch.Lane, LaneGuard.Lane {
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
    private final LaneSettle settle;
    private final LaneDispatch underWay;
    private final LaneGuard guard;
    private final BatchSize size;
    /** One object, so that the budget remembers a waiting lane once. */
    private final Runnable wakeUp = this::called;

    private final long term;
    private boolean poisoned;
    /**
     * Whether something of this owner has settled, or there was nothing to dispatch: only then it settles what earlier
     * owners left running, because a settle forgets takeovers, and an event that ends the process might hide behind it.
     */
    private boolean proven;
    /** There may be something that its last read did not see. */
    private boolean woken;

    private int stragglers;
    private Environment.Timer timer = () -> {};
    private long requests;
    private boolean stopping;
    private boolean ended;
    private @Nullable String failure; // why it has ended, if that was by itself

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
        this.serial = new Serial(environment, this::stumbled);
        this.state = new LaneState(claimed, spec, environment::now, owner);
        this.claim = new LaneClaim(store, environment, spec, state, owner);
        this.settle = new LaneSettle(store, environment, spec, state, claimed.takeovers());
        this.term = owner.term();
        this.underWay = new LaneDispatch(spec, environment, owner, term, serial, this);
        this.guard = new LaneGuard(store.seals(), environment, spec, state, owner.guarded(), this);
        this.size = new BatchSize(spec);
        this.poisoned = claimed.takeovers() >= POISON_TAKEOVERS;
        settle.unsettled().leftRunning(claimed, poisoned, owner.shared().node(), environment.now());
    }

    Ownership ownership() {
        return state.ownership();
    }

    // ---- the path -------------------------------------------------------------------------------------------------

    private void step() {
        if (!underWay.isIdle() || ended || stopping || (proven && !guarded(this::settleFinished)) || held()) {
            return;
        }
        if (!owner.leaseIsValid(term)) {
            schedule(LEASE_PAUSE, this::wake);
            return;
        }
        if (!guarded(guard::look) || !guard.isVerified()) {
            return;
        }
        if (underWay.reserve(size.events(), wakeUp)) {
            woken = false;
            guarded(this::claimAndDispatch);
            underWay.giveBackIfIdle();
        }
    }

    private void claimAndDispatch() {
        LaneClaim.Claimed claimed = claim.claim(size.events(), !guard.hasLost());
        Page page = claimed.page();
        if (claimed.isEmpty()) {
            rest(page);
        } else if (spec.isQueue() && page != null) {
            parkTasks(claimed, page);
        } else if (poisoned && page != null) {
            poisoned = false;
            settled(settle.settle(claim.parkSuspects(claimed)));
            again();
        } else {
            underWay.dispatch(claimed, claim.items(claimed), state.draft(), guard.verification());
        }
    }

    /** An operator wants nothing of it to be dispatched, or a destination is down; but a queue can still be fed. */
    private boolean held() {
        boolean held = owner.paused() || !(spec.isQueue() || owner.reachable());
        if (held) {
            guarded(() -> settled(settle.settleSkips()));
        }
        return held;
    }

    @Override
    public void settle(Flight landed) {
        List<Item> begun = landed.begun();
        stragglers += (int) begun.stream().filter(item -> item.straggler).count();
        if (ended) {
            endIfQuiet();
            return;
        }
        claim.landed(landed);
        if (begun.isEmpty()) {
            again();
        } else if (guarded(() ->
                settled(settle.settle(new LaneSettle.Items(begun, landed.claimed(), state.cursor(), Verdicts::add))))) {
            goOn(landed);
        }
    }

    private void goOn(Flight settled) {
        proven = true;
        underWay.settled();
        size.settledWithin(Duration.ofNanos(environment.nanos() - settled.startedNanos()));
        if (stopping || woken || settled.leavesMore()) {
            again();
        } else {
            guarded(() -> rest(null));
        }
    }

    /** In a queue every event is a task: parked at once, and claimed row by row by whoever has room. */
    private void parkTasks(LaneClaim.Claimed claimed, Page page) {
        settled(settle.settle(claim.parkTasks(claimed)));
        if (!ended) {
            proven = true;
            size.settledWithin(Duration.ZERO);
            owner.fed(page.size());
            again();
        }
    }

    // ---- settle ---------------------------------------------------------------------------------------------------

    @Override
    public void park(Verdicts lost) {
        settled(settle.settle(lost, state.cursor()));
        if (!ended) {
            claim.lookAgain(); // they may come before rows that are here, and behind others that are not
        }
    }

    private void settleFinished() {
        settled(settle.settleFinished());
    }

    private void settled(boolean written) {
        if (!written) {
            lose(ShareLog.LOST);
        }
    }

    private ShareLog.Loss loss() {
        return stragglers > 0 || settle.unsettled().hasDispatched() ? ShareLog.Loss.DISPATCHED : underWay.loss();
    }

    private void lose(@Nullable String why) {
        if (!ended) {
            owner.shares().lost(ownership().lane(), loss());
            failure = why;
            end(null);
        }
    }

    @Override
    public void settled(Flight landed, Settlement written, Verdicts verdicts) {
        state.settled(written, verdicts);
        settle.quiet().settled();
        unlessEnded(() -> goOn(landed));
    }

    @Override
    public void lostWithEffects() {
        unlessEnded(() -> {
            state.lost();
            lose(ShareLog.LOST);
        });
    }

    @Override
    public void failing(StoreException down) {
        unlessEnded(() -> end(down));
    }

    @Override
    public void straggler(Item item) {
        stragglers--;
        settle.unsettled().straggler(item, environment.now());
        unlessEnded(this::again);
    }

    // ---- between batches --------------------------------------------------------------------------------------------

    private void again() {
        if (stopping) {
            handBack(ShareLog.Loss.NOTHING);
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
        if (empty != null && settle.quiet().isDue(empty)) {
            settled(settle.settle(
                    new Verdicts(spec, environment), state.cursor().advance(empty, 0)));
            if (ended || empty.more()) {
                again();
                return;
            }
        }
        schedule(claim.untilDue(), this::wake);
    }

    @Override
    public void schedule(Duration delay, Runnable task) {
        timer.cancel();
        timer = environment.schedule(delay, task);
    }

    // ---- from outside -----------------------------------------------------------------------------------------------

    @Override
    public void later(Runnable task) {
        serial.execute(() -> {
            if (!ended) {
                guarded(task);
            }
        });
    }

    /** There may be something new. */
    @Override
    public void wake() {
        serial.execute(() -> {
            woken = true;
            step();
        });
    }

    /** The budget may have enough for this lane; if it does not take it, the next in the line may. */
    private void called() {
        serial.execute(() -> {
            step();
            owner.budget().next();
        });
    }

    /** The lane's operator-request counter; when it changes, reload the delivery rows. */
    void requested(long count) {
        serial.execute(() -> {
            if (count != requests && !ended && guarded(claim::lookAgain)) {
                requests = count;
                again();
            }
        });
    }

    /** Begins nothing more of what it has claimed; what runs goes on, and settles. */
    void pause() {
        serial.execute(underWay::close);
    }

    /** Finishes what is running, settles it and hands the lane back. */
    void stop() {
        serial.execute(() -> {
            stopping = true;
            underWay.close();
            handBack(ShareLog.Loss.NOTHING);
        });
    }

    /** Settles what there is, and hands the lane back although some of it is still running. */
    void stopNow() {
        serial.execute(() -> {
            stopping = true;
            ShareLog.Loss left = loss();
            underWay.cut();
            stragglers = 0; // a handler that still runs reports to nobody from now on
            unlessEnded(() -> handBack(left));
        });
    }

    /** The lane is lost: nothing of it is settled any more. */
    @Override
    public void lost() {
        underWay.revoke();
        serial.execute(() -> lose(null));
    }

    private void handBack(ShareLog.Loss left) {
        if (ended || !underWay.isIdle() || stragglers > 0) {
            return;
        }
        guarded(() -> {
            settled(settle.settleFinished() && settle.settleSkips());
            if (!ended) {
                owner.shares().returned(ownership().lane(), store.release(List.of(ownership())) > 0, left);
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
        } catch (Throwable e) {
            stumbled(e);
        }
        return !ended;
    }

    /** Whatever it is, an {@link Error} too: a lane that nobody ends is held for ever, and with it its events. */
    private void stumbled(Throwable unexpected) {
        proven = false; // an empty page proves nothing where the same failure follows each time
        failure = Failure.tellable(unexpected).toString();
        ShareLog.Loss loss = loss();
        end(null);
        owner.shares().stumbled(ownership(), loss, unexpected);
    }

    private void end(@Nullable StoreException down) {
        if (ended) {
            return;
        }
        ended = true;
        failure = down != null ? String.valueOf(down.getMessage()) : failure;
        try {
            claim.end();
            timer.cancel();
            underWay.end();
            if (down != null) {
                owner.failing(down);
            }
        } finally {
            endIfQuiet();
        }
    }

    private void unlessEnded(Runnable work) {
        if (ended) {
            endIfQuiet();
        } else {
            work.run();
        }
    }

    private void endIfQuiet() {
        if (underWay.isIdle() && stragglers == 0) {
            owner.ended(this, failure == null ? null : new LaneOwner.Failed(failure, proven));
        }
    }
}
