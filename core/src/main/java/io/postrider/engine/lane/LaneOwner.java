package io.postrider.engine.lane;

import io.postrider.engine.base.Budget;
import io.postrider.engine.base.Observers;
import io.postrider.engine.dispatch.Circuit;
import io.postrider.engine.dispatch.Dispatcher;
import io.postrider.engine.dispatch.FailureLog;
import io.postrider.engine.dispatch.NodeParts;
import io.postrider.store.StoreException;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/** What a lane needs of the subscription that runs it. */
public interface LaneOwner {
    /** What the subscriptions of its node have in common. */
    NodeParts shared();

    default Budget budget() {
        return shared().budget();
    }

    default Observers observers() {
        return shared().observers();
    }

    /** The lines about failing events that everyone gets. */
    FailureLog failures();

    Dispatcher dispatcher();

    /** The term of the lease in which a lane that is claimed now may be dispatched. */
    default long term() {
        return shared().lease().term();
    }

    /** Whether a dispatch may start of what was claimed in this term. */
    default boolean leaseIsValid(long term) {
        return shared().lease().valid(term);
    }

    /** Whether an operator wants nothing of it to be dispatched. */
    boolean paused();

    /** Whether every destination takes events, as far as this node knows. */
    boolean reachable();

    /** The destinations that can lose what they have acknowledged. */
    Collection<Circuit> guarded();

    /** Whether a queue may have more tasks; one that may not calls its lanes when there is room. */
    boolean hasRoom();

    /** There may be something new for every lane. */
    void wakeAll();

    /** A queue has so many new tasks. */
    void fed(int tasks);

    /** Some of its events expire. */
    void expiring();

    /** The lines about lanes that are lost or handed back. */
    ShareLog shares();

    /** The store has failed, and the lane ends. */
    default void failing(StoreException failure) {
        shared().trouble().failing(failure);
    }

    /** The lane is no longer run, and nothing of it is in flight. Null unless it has ended by itself. */
    void ended(LaneRun lane, @Nullable Failed failed);

    /**
     * Why a lane has ended by itself.
     *
     * @param gotAnywhere whether it had settled something, or had nothing to do: claiming it was of use
     */
    record Failed(String why, boolean gotAnywhere) {}
}
