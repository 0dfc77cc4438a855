package io.postrider.store;

import io.postrider.operate.By;
import io.postrider.operate.Operation;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * How nodes carry out operations: one node at a time, under a lease on the store's clock, fenced by an epoch. A chunk
 * is one write: its events, the counts, how far the operation is and the audit; so that an end of the process between
 * two of them repeats nothing and leaves nothing out.
 */
public interface Chunks {

    /** Takes operations that go on and that nobody holds, or that this node holds although it does not run them. */
    List<HeldOperation> take(String node, Set<Long> running, Duration lease, int most);

    /**
     * Decides about the next events, by position, and extends the lease. An operation that runs and finds nothing more
     * is finished. Skipped and delivered events are taken lane by lane, each lane by position, as far as there is room.
     *
     * @return empty if the operation has ended or is another's
     */
    Optional<Moved> move(HeldOperation held, Room room, Duration lease);

    /**
     * Looks what became of the events that were replayed, and extends the lease.
     *
     * @param most counts no further than that
     * @return empty if the operation has ended or is another's
     */
    Optional<Watched> watch(HeldOperation held, int most, Duration lease);

    /** The canary came through: the rest may follow. False if the operation has ended or is another's. */
    boolean pass(HeldOperation held);

    /** The canary did not come through. The reasons are what its events failed with. */
    boolean stop(HeldOperation held);

    /** It cannot go on. */
    boolean fail(HeldOperation held, String why);

    /** Hands operations back, so that another node can take them at once. */
    void release(List<HeldOperation> held);

    /**
     * Starts a replay by schedule, if it is due, if there is something to replay, and if the last one has ended. The
     * first is due one period after the first call.
     */
    Optional<Operation> reprocess(Operation.Target target, Operation.Pace pace, Duration every, By by);

    /** An operation under an epoch, as it was when it was taken. */
    record HeldOperation(Operation operation, long epoch) {
        public long id() {
            return operation.id();
        }
    }

    /**
     * How much a chunk may do.
     *
     * @param most events it decides about
     * @param waitingPerLane of skipped and delivered events, how many that were replayed may wait in a lane at once
     */
    record Room(int most, int waitingPerLane) {}

    /**
     * What a chunk did.
     *
     * @param moved how many events it decided about
     * @param done how many the operation has decided about by now
     * @param exhausted whether there are no more
     * @param full whether there are more, and no lane has room for them
     * @param subscribed whether the subscription is still there
     */
    record Moved(int moved, long done, boolean exhausted, boolean full, boolean subscribed) {}

    /** How many events of an operation wait or run, and how many are dead or expired again. */
    record Watched(int waiting, int failedAgain) {}
}
