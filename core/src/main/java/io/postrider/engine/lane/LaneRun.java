package io.postrider.engine.lane;

import io.postrider.Environment;
import io.postrider.engine.base.Serial;
import io.postrider.engine.dispatch.Claimed;
import io.postrider.engine.dispatch.Flight;
import io.postrider.engine.dispatch.Item;
import io.postrider.engine.dispatch.Landing;
import io.postrider.engine.dispatch.SubscriptionSpec;
import io.postrider.engine.dispatch.Verdicts;
import io.postrider.store.Claim;
import io.postrider.store.Ownership;
import io.postrider.store.Page;
import io.postrider.store.Settlement;
import io.postrider.store.Store;
import io.postrider.store.StoreException;
import io.postrider.store.Watch;
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
public final class LaneRun implements Flight.Reports, LaneGuard.GuardedLane {
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
    private final LaneEnd end;
    /** One object, so that the budget remembers a waiting lane once. */
    private final Runnable wakeUp = this::called;

    private final long term;
    private boolean poisoned;
    /** There may be something that its last read did not see. */
    private boolean woken;

    private Environment.Timer timer = () -> {};
    private long requests;

    public LaneRun(
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
        this.settle = new LaneSettle(store.settle(), environment, spec, state, claimed.takeovers());
        this.term = owner.term();
        this.underWay = new LaneDispatch(spec, environment, owner, term, this);
        this.guard = new LaneGuard(store.seals(), environment, spec, state, owner.guarded(), this);
        this.size = new BatchSize(spec);
        this.end = new LaneEnd(store.claim(), this, owner, settle, underWay, this::quit);
        this.poisoned = claimed.takeovers() >= POISON_TAKEOVERS;
        settle.unsettled().leftRunning(claimed, poisoned, owner.shared().node(), environment.now());
    }

    public Ownership ownership() {
        return state.ownership();
    }

    // ---- the path -------------------------------------------------------------------------------------------------

    private void step() {
        if (!underWay.isIdle()
                || end.isEnded()
                || end.isStopping()
                || (end.isProven() && !end.guarded(this::settleFinished))
                || held()) {
            return;
        }
        if (!owner.leaseIsValid(term)) {
            schedule(LEASE_PAUSE, this::wake);
            return;
        }
        if (!end.guarded(guard::look) || !guard.isVerified()) {
            return;
        }
        if (underWay.reserve(size.events(), wakeUp)) {
            woken = false;
            end.guarded(this::claimAndDispatch);
            underWay.giveBackIfIdle();
        }
    }

    private void claimAndDispatch() {
        Claimed claimed = claim.claim(size.events(), !guard.hasLost());
        Page page = claimed.page();
        if (claimed.isEmpty()) {
            rest(page);
        } else if (spec.isQueue() && page != null) {
            parkTasks(claimed, page);
        } else if (poisoned && page != null) {
            poisoned = false;
            end.loseUnless(settle.settle(claim.parkSuspects(claimed)));
            again();
        } else {
            underWay.dispatch(claimed, claim.items(claimed), state.draft(), guard.verification());
        }
    }

    /** An operator wants nothing of it to be dispatched, or a destination is down; but a queue can still be fed. */
    private boolean held() {
        boolean held = owner.paused() || !(spec.isQueue() || owner.reachable());
        if (held) {
            end.guarded(() -> end.loseUnless(settle.settleSkips()));
        }
        return held;
    }

    // ---- land -------------------------------------------------------------------------------------------------------

    @Override
    public void landed(Flight flight, Landing landing) {
        serial.execute(() -> {
            if (underWay.landed(flight)) {
                landing.match(new Landed(flight));
            }
        });
    }

    /** The lane's answers to a landing. */
    private final class Landed implements Landing.Cases {
        private final Flight flight;

        Landed(Flight flight) {
            this.flight = flight;
        }

        @Override
        public void toSettle() {
            List<Item> begun = flight.begun();
            end.await(begun);
            end.unlessEnded(() -> {
                claim.landed(flight);
                if (begun.isEmpty()) {
                    again();
                } else if (end.guarded(() -> settleItems(begun))) {
                    goOn(flight);
                }
            });
        }

        private void settleItems(List<Item> begun) {
            end.loseUnless(settle.settle(new LaneSettle.Items(begun, flight.claimed(), state.cursor(), Verdicts::add)));
        }

        @Override
        public void settled(Settlement written, Verdicts verdicts) {
            state.settled(written, verdicts);
            settle.quiet().settled();
            end.unlessEnded(() -> goOn(flight));
        }

        @Override
        public void lost() {
            end.unlessEnded(() -> {
                state.lost();
                end.lose(ShareLog.LOST);
            });
        }

        @Override
        public void storeFailed(StoreException failure) {
            end.unlessEnded(() -> end.failed(failure));
        }
    }

    @Override
    public void straggler(Item item) {
        serial.execute(() -> {
            end.straggler();
            settle.unsettled().straggler(item, environment.now());
            end.unlessEnded(this::again);
        });
    }

    private void goOn(Flight settled) {
        end.prove();
        underWay.settled();
        size.settledWithin(Duration.ofNanos(environment.nanos() - settled.startedNanos()));
        if (end.isStopping() || woken || settled.leavesMore()) {
            again();
        } else {
            end.guarded(() -> rest(null));
        }
    }

    /** In a queue every event is a task: parked at once, and claimed row by row by whoever has room. */
    private void parkTasks(Claimed claimed, Page page) {
        end.loseUnless(settle.settle(claim.parkTasks(claimed)));
        if (!end.isEnded()) {
            end.prove();
            size.settledWithin(Duration.ZERO);
            owner.fed(page.events().size());
            again();
        }
    }

    // ---- settle ---------------------------------------------------------------------------------------------------

    @Override
    public void park(Verdicts lost) {
        end.loseUnless(settle.settle(lost, state.cursor()));
        if (!end.isEnded()) {
            claim.lookAgain(); // they may come before rows that are here, and behind others that are not
        }
    }

    private void settleFinished() {
        if (!settle.unsettled().isEmpty()) {
            end.loseUnless(settle.settleFinished());
        }
    }

    // ---- between batches --------------------------------------------------------------------------------------------

    private void again() {
        if (end.isStopping()) {
            end.handBack();
        } else {
            serial.execute(this::step);
        }
    }

    /** Nothing to do until someone wakes the lane, a row is due, or it is time to look again. */
    private void rest(@Nullable Page empty) {
        end.prove();
        settleFinished();
        if (end.isEnded()) {
            return;
        }
        if (empty != null && settle.quiet().isDue(empty)) {
            end.loseUnless(settle.settle(new Verdicts(spec, environment), empty.after(0)));
            if (end.isEnded() || empty.more()) {
                again();
                return;
            }
        }
        schedule(claim.untilDue(), this::wake);
    }

    private void schedule(Duration delay, Runnable task) {
        timer.cancel();
        timer = environment.schedule(delay, task);
    }

    // ---- from outside -----------------------------------------------------------------------------------------------

    @Override
    public void later(Runnable task) {
        serial.execute(() -> {
            if (!end.isEnded()) {
                end.guarded(task);
            }
        });
    }

    /** There may be something new. */
    @Override
    public void wake() {
        serial.execute(this::stepWoken);
    }

    private void stepWoken() {
        woken = true;
        step();
    }

    /** A look found commits of this lane. After a commit of its own node the lane has read them, as a rule. */
    public void wake(Watch.Commits commits) {
        serial.execute(() -> {
            if (!claim.hasRead(commits)) {
                stepWoken();
            }
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
    public void changedByOperators(long count) {
        serial.execute(() -> {
            if (count != requests && !end.isEnded() && end.guarded(claim::lookAgain)) {
                requests = count;
                again();
            }
        });
    }

    /** Begins nothing more of what it has claimed; what runs goes on, and settles. */
    public void pause() {
        serial.execute(underWay::close);
    }

    /** Finishes what is running, settles it and hands the lane back. */
    public void stop() {
        serial.execute(end::stop);
    }

    /** Settles what there is, and hands the lane back although some of it is still running. */
    public void stopNow() {
        serial.execute(end::stopNow);
    }

    /** The lane is lost: nothing of it is settled any more. */
    @Override
    public void lost() {
        underWay.revoke();
        serial.execute(() -> end.lose(null));
    }

    private void stumbled(Throwable unexpected) {
        end.stumbled(unexpected);
    }

    private void quit() {
        claim.end();
        timer.cancel();
    }
}
