package io.postrider.engine;

import io.postrider.spi.StoreException;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/** What a lane needs of the subscription that runs it. */
interface LaneOwner {
    /** What the subscriptions of its node have in common. */
    Node.Shared shared();

    default Budget budget() {
        return shared().budget();
    }

    default Observers observers() {
        return shared().observers();
    }

    /** The lines about failing events that everyone gets. */
    FailureLog failures();

    Dispatcher dispatcher();

    /** In its place where settlements commit with the effects, null elsewhere. */
    @Nullable
    EffectDispatcher<?> effects();

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

    /** A queue has so many new tasks. */
    void fed(int tasks);

    /** Some of its events expire. */
    void expiring();

    /** The lines about lanes that are lost or handed back. */
    ShareLog shares();

    /** The store has failed, and the lane ends. */
    void failing(StoreException failure);

    /** The lane is no longer run, and nothing of it is in flight. Null unless it has ended by itself. */
    void ended(LaneRun lane, @Nullable Failed failed);

    /**
     * Why a lane has ended by itself.
     *
     * @param gotAnywhere whether it had settled something, or had nothing to do: claiming it was of use
     */
    record Failed(String why, boolean gotAnywhere) {}
}
