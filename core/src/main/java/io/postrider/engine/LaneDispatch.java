package io.postrider.engine;

import io.postrider.spi.Environment;
import io.postrider.spi.Settlement;
import io.postrider.spi.StoreException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What a lane has under way: at most one batch, whose settlement follows it or commits with its effects. Not
 * thread-safe but for {@link #revoke}: the lane guards it, and what is reported comes back to the lane's own
 * {@code serial}.
 */
final class LaneDispatch {
    private final SubscriptionSpec spec;
    private final Environment environment;
    private final LaneOwner owner;
    private final long term;
    private final Serial serial;
    private final Lane lane;
    /** What the next batch may take of the node's budget, until it is known what it needs. */
    private Flight.@Nullable Reserved reserved;

    private @Nullable Flight flight;
    /** The same, until it is settled. */
    private @Nullable Flight unsettled;
    /** The same, where the settlement commits with the effects. */
    private @Nullable EffectFlight effects;

    private boolean ended;
    /** Written by the node's thread, while the lane's own may wait for an answer of the store. */
    private volatile boolean revoked;

    /** What happens to it, on the lane's own serial. */
    interface Lane {
        /** The batch has landed, and is to be settled. */
        void settle(Flight landed);

        /** The batch has landed, and has been settled in the transaction of its effects. */
        void settled(Flight landed, Settlement written, Verdicts verdicts);

        /** The batch has landed, undone: the lane is another's. */
        void lostWithEffects();

        /** The batch has landed; nobody knows what was committed of it. */
        void failing(StoreException failure);

        /** An event has ended whose batch had been settled without it. */
        void straggler(Item item);

        /** Runs this later, instead of what was to run before. */
        void schedule(Duration delay, Runnable task);
    }

    LaneDispatch(SubscriptionSpec spec, Environment environment, LaneOwner owner, long term, Serial serial, Lane lane) {
        this.spec = spec;
        this.environment = environment;
        this.owner = owner;
        this.term = term;
        this.serial = serial;
        this.lane = lane;
    }

    boolean isIdle() {
        return flight == null;
    }

    /**
     * The lane is another's by now: of what is under way here, or about to be, nothing more begins. Called before a
     * lease begins again, so that a thread that finds the lease valid, and asks then, gets the right answer.
     */
    void revoke() {
        revoked = true;
    }

    // ---- begin ------------------------------------------------------------------------------------------------------

    /** Takes of the node's budget what a batch of so many events may need; if there is not enough, calls later. */
    boolean reserve(int events, Runnable later) {
        Flight.Reserved most = new Flight.Reserved(events, spec.limits().batchBytes());
        if (!owner.budget().take(most.events(), most.bytes(), later)) {
            return false;
        }
        reserved = most;
        return true;
    }

    /** What was reserved goes back, unless a batch has it. */
    void giveBackIfIdle() {
        Flight.Reserved unused = reserved;
        reserved = null;
        if (unused != null) {
            owner.budget().give(unused.events(), unused.bytes());
        }
    }

    /** What was reserved and is not needed goes back at once, for other lanes. */
    void dispatch(LaneClaim.Claimed claimed, List<Item> items, LaneState.Draft draft, BooleanSupplier verified) {
        Flight.Reserved most = Objects.requireNonNull(reserved, "a batch needs room");
        Batch.Listener listener = owner.effects() == null ? new Reports() : Batch.Listener.NOBODY;
        BooleanSupplier may = () -> !revoked && verified.getAsBoolean();
        Batch batch = new Batch(items, spec.afterDead(), term, may, environment::now, listener);
        Flight.Reserved needed =
                new Flight.Reserved(Math.min(claimed.size(), most.events()), Math.min(claimed.bytes(), most.bytes()));
        Flight begun = new Flight(batch, claimed, needed, environment.nanos());
        reserved = null;
        flight = begun;
        unsettled = begun;
        owner.budget().give(most.events() - needed.events(), most.bytes() - needed.bytes());
        EffectDispatcher<?> within = owner.effects();
        if (within != null) {
            effects = new EffectFlight(begun, draft, new EffectReports(batch));
            within.dispatch(effects);
        } else {
            owner.dispatcher().dispatch(batch);
            settleLater(batch, spec.limits().settleAfter());
        }
    }

    // ---- end --------------------------------------------------------------------------------------------------------

    /** Starts nothing more; what runs goes on. */
    void close() {
        if (flight != null) {
            flight.batch().close();
        }
    }

    /** Starts nothing more, and waits for what runs however long it takes: nothing is settled any more. */
    void end() {
        ended = true;
        close();
    }

    /** What has landed is settled. */
    void settled() {
        unsettled = null;
    }

    /** What it comes to if the lane is lost now. */
    ShareLog.Loss loss() {
        Flight open = unsettled;
        if (open == null) {
            return ShareLog.Loss.NOTHING;
        }
        if (owner.effects() != null) {
            return open.batch().begun() > 0 ? ShareLog.Loss.ROLLED_BACK : ShareLog.Loss.NOTHING;
        }
        return open.hasDispatched() ? ShareLog.Loss.DISPATCHED : ShareLog.Loss.NOTHING;
    }

    /** Lands now, without what still runs. */
    void cut() {
        EffectDispatcher<?> within = owner.effects();
        if (within != null && effects != null) {
            within.giveUp(effects, "its node stopped");
        } else if (flight != null && flight.batch().cut()) {
            land(flight.batch(), lane::settle);
        }
    }

    private void land(Batch batch, Consumer<Flight> then) {
        Flight landed = flight;
        if (landed != null && landed.batch() == batch) {
            flight = null;
            effects = null;
            owner.budget().give(landed.reserved().events(), landed.reserved().bytes());
            then.accept(landed);
        }
    }

    private void settleLater(Batch batch, Duration after) {
        lane.schedule(after, () -> serial.execute(() -> settleIfSlow(batch)));
    }

    /** A slow batch starts nothing more; one with an event that runs for too long is settled without it. */
    private void settleIfSlow(Batch batch) {
        if (flight == null || flight.batch() != batch || ended) {
            return;
        }
        Duration settleAfter = spec.limits().settleAfter();
        batch.shorten();
        if (!owner.dispatcher().runsLongerThan(batch, settleAfter)) {
            settleLater(batch, settleAfter.dividedBy(4).plusMillis(1));
        } else if (batch.cut()) {
            land(batch, lane::settle);
        }
    }

    // ---- reports ----------------------------------------------------------------------------------------------------

    /** What a batch reports, on whatever thread. */
    private final class Reports implements Batch.Listener {
        @Override
        public void done(Batch batch) {
            serial.execute(() -> land(batch, lane::settle));
        }

        @Override
        public void straggler(Item item) {
            serial.execute(() -> lane.straggler(item));
        }
    }

    /** What a transaction reports in which a batch was dispatched and settled, on whatever thread. */
    private final class EffectReports implements EffectFlight.Lane {
        private final Batch batch;

        EffectReports(Batch batch) {
            this.batch = batch;
        }

        @Override
        public void settled(Settlement written, Verdicts verdicts) {
            serial.execute(() -> land(batch, landed -> lane.settled(landed, written, verdicts)));
        }

        @Override
        public void undone() {
            serial.execute(() -> land(batch, lane::settle));
        }

        @Override
        public void lost() {
            serial.execute(() -> land(batch, landed -> lane.lostWithEffects()));
        }

        @Override
        public void failing(StoreException failure) {
            serial.execute(() -> land(batch, landed -> lane.failing(failure)));
        }
    }
}
