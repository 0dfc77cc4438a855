package io.postrider.engine.lane;

import io.postrider.engine.dispatch.Item;
import io.postrider.store.Claim;
import io.postrider.store.Ownership;
import io.postrider.store.StoreException;
import io.postrider.text.Failure;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The end of a lane on this node: the lane is handed back, is lost, or has failed. It is over once nothing of it is in
 * flight. Not thread-safe: the lane guards it.
 */
final class LaneEnd {
    private final Claim store;
    private final LaneRun lane;
    private final LaneOwner owner;
    private final Ownership ownership;
    private final LaneSettle settle;
    private final LaneDispatch underWay;
    private final Runnable whenEnded;
    /**
     * Whether something of this owner has settled, or there was nothing to dispatch: only then it settles what earlier
     * owners left running, because a settle forgets takeovers, and an event that ends the process might hide behind it.
     */
    private boolean proven;

    private int stragglers;
    private boolean stopping;
    /** Waits for no handler that still runs: the lane is handed back without its outcome. */
    private boolean abandons;
    /** The loss to tell of when the lane is handed back. */
    private ShareLog.Loss left = ShareLog.Loss.NOTHING;

    private boolean ended;
    /** Why it has ended, if that was by itself. */
    private @Nullable String failure;

    /** @param whenEnded runs once, when nothing of the lane is to begin any more */
    LaneEnd(Claim store, LaneRun lane, LaneOwner owner, LaneSettle settle, LaneDispatch underWay, Runnable whenEnded) {
        this.store = store;
        this.lane = lane;
        this.owner = owner;
        this.ownership = lane.ownership();
        this.settle = settle;
        this.underWay = underWay;
        this.whenEnded = whenEnded;
    }

    boolean isEnded() {
        return ended;
    }

    boolean isStopping() {
        return stopping;
    }

    boolean isProven() {
        return proven;
    }

    void prove() {
        proven = true;
    }

    // ---- stragglers -------------------------------------------------------------------------------------------------

    /** A flight was cut: some of these events still run. */
    void await(List<Item> begun) {
        if (!abandons) {
            stragglers += (int) begun.stream().filter(item -> item.straggler).count();
        }
    }

    /** One of them has ended. */
    void straggler() {
        if (!abandons) {
            stragglers--;
        }
    }

    // ---- handed back ------------------------------------------------------------------------------------------------

    /** Finishes what is running, settles it and hands the lane back. */
    void stop() {
        stopping = true;
        underWay.close();
        handBack();
    }

    /** Settles what there is, and hands the lane back although some of it is still running. */
    void stopNow() {
        stopping = true;
        left = loss();
        abandons = true;
        stragglers = 0;
        underWay.cut();
        unlessEnded(this::handBack);
    }

    void handBack() {
        if (ended || !underWay.isIdle() || stragglers > 0) {
            return;
        }
        guarded(() -> {
            loseUnless(settle.settleFinished() && settle.settleSkips());
            if (!ended) {
                owner.shares().returned(ownership.lane(), store.release(List.of(ownership)) > 0, left);
            }
        });
        end(null);
    }

    // ---- lost -------------------------------------------------------------------------------------------------------

    void loseUnless(boolean written) {
        if (!written) {
            lose(ShareLog.LOST);
        }
    }

    /** Nothing of the lane is settled any more. */
    void lose(@Nullable String why) {
        if (!ended) {
            owner.shares().lost(ownership.lane(), loss());
            failure = why;
            end(null);
        }
    }

    private ShareLog.Loss loss() {
        return stragglers > 0 || settle.unsettled().hasDispatched() ? ShareLog.Loss.DISPATCHED : underWay.loss();
    }

    // ---- failed -----------------------------------------------------------------------------------------------------

    /** Runs something that calls the store; false if the lane has ended by then. */
    boolean guarded(Runnable work) {
        try {
            work.run();
        } catch (StoreException e) {
            end(e);
        } catch (Throwable e) {
            stumbled(e);
        }
        return !ended;
    }

    /** Any failure, an {@link Error} too: a lane that nobody ends is held for ever, and with it its events. */
    void stumbled(Throwable unexpected) {
        proven = false; // an empty page proves nothing where the same failure follows each time
        failure = Failure.tellable(unexpected).toString();
        ShareLog.Loss loss = loss();
        end(null);
        owner.shares().stumbled(ownership, loss, unexpected);
    }

    /** The store has failed: nobody knows what was written. */
    void failed(StoreException down) {
        end(down);
    }

    private void end(@Nullable StoreException down) {
        if (ended) {
            return;
        }
        ended = true;
        failure = down != null ? String.valueOf(down.getMessage()) : failure;
        try {
            whenEnded.run();
            underWay.close();
            if (down != null) {
                owner.failing(down);
            }
        } finally {
            endIfQuiet();
        }
    }

    void unlessEnded(Runnable work) {
        if (ended) {
            endIfQuiet();
        } else {
            work.run();
        }
    }

    private void endIfQuiet() {
        if (underWay.isIdle() && stragglers == 0) {
            owner.ended(lane, failure == null ? null : new LaneOwner.Failed(failure, proven));
        }
    }
}
