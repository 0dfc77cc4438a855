package io.postrider.engine.lane;

import io.postrider.Environment;
import io.postrider.engine.dispatch.Batch;
import io.postrider.engine.dispatch.Claimed;
import io.postrider.engine.dispatch.Draft;
import io.postrider.engine.dispatch.Flight;
import io.postrider.engine.dispatch.Item;
import io.postrider.engine.dispatch.SubscriptionSpec;
import java.util.List;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The flight of a lane, and its part of the node's budget: at most one, whose settlement follows it or commits with its
 * effects. Not thread-safe but for {@link #revoke}: the lane guards it.
 */
final class LaneDispatch {
    private final SubscriptionSpec spec;
    private final Environment environment;
    private final LaneOwner owner;
    private final long term;
    private final Flight.Reports reports;
    /** What the next batch may take of the node's budget, until it is known what it needs. */
    private Flight.@Nullable Reserved reserved;

    private @Nullable Flight flight;
    /** The same, until it is settled. */
    private @Nullable Flight unsettled;
    /** Written by the node's thread, while the lane's own may wait for an answer of the store. */
    private volatile boolean revoked;

    LaneDispatch(SubscriptionSpec spec, Environment environment, LaneOwner owner, long term, Flight.Reports reports) {
        this.spec = spec;
        this.environment = environment;
        this.owner = owner;
        this.term = term;
        this.reports = reports;
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
    void dispatch(Claimed claimed, List<Item> items, Draft draft, BooleanSupplier verified) {
        Flight.Reserved most = Objects.requireNonNull(reserved, "a batch needs room");
        BooleanSupplier may = () -> !revoked && verified.getAsBoolean();
        Batch batch = new Batch(items, spec.afterDead(), term, may, environment::now);
        Flight.Reserved needed =
                new Flight.Reserved(Math.min(claimed.size(), most.events()), Math.min(claimed.bytes(), most.bytes()));
        Flight begun = new Flight(batch, claimed, draft, needed, environment.nanos(), reports);
        reserved = null;
        flight = begun;
        unsettled = begun;
        owner.budget().give(most.events() - needed.events(), most.bytes() - needed.bytes());
        owner.dispatcher().dispatch(begun);
    }

    // ---- end --------------------------------------------------------------------------------------------------------

    /** Starts nothing more; what runs goes on. */
    void close() {
        if (flight != null) {
            flight.batch().close();
        }
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
        if (spec.transactions() != null) {
            return open.batch().begun() > 0 ? ShareLog.Loss.ROLLED_BACK : ShareLog.Loss.NOTHING;
        }
        return open.hasDispatched() ? ShareLog.Loss.DISPATCHED : ShareLog.Loss.NOTHING;
    }

    /** Lands now, without what still runs. */
    void cut() {
        if (flight != null) {
            owner.dispatcher().cut(flight, "its node stopped");
        }
    }

    /** False if it is not the one that is under way: what it reports is not this lane's to settle any more. */
    boolean landed(Flight landed) {
        if (flight != landed) {
            return false;
        }
        flight = null;
        owner.budget().give(landed.reserved().events(), landed.reserved().bytes());
        return true;
    }
}
