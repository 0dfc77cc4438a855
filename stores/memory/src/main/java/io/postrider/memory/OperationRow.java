package io.postrider.memory;

import io.postrider.Lane;
import io.postrider.operate.Operation;
import io.postrider.store.snapshot.SnapshotCursor;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An operation, how far it is, and who carries it out. Its progress counts what is done and nothing else.
 *
 * @param lanes how far it is in each lane, if it is about settled events
 */
record OperationRow(
        Operation operation,
        long reached,
        long upTo,
        List<Reached> lanes,
        @Nullable String owner,
        long epoch,
        @Nullable Instant leaseUntil) {

    /**
     * How far it is in a lane.
     *
     * @param at where the lane was when the operation started: only what had been settled then is meant
     */
    record Reached(Lane lane, SnapshotCursor at, long reached) {
        Reached reached(long position) {
            return new Reached(lane, at, position);
        }

        boolean isExhausted() {
            return reached >= at.position();
        }
    }

    static OperationRow started(Operation operation, long upTo, List<Reached> lanes) {
        return new OperationRow(operation, 0, upTo, lanes, null, 0, null);
    }

    OperationRow with(Operation changed) {
        return new OperationRow(changed, reached, upTo, lanes, owner, epoch, leaseUntil);
    }

    OperationRow reached(long position) {
        return new OperationRow(operation, position, upTo, lanes, owner, epoch, leaseUntil);
    }

    OperationRow lanes(List<Reached> changed) {
        return new OperationRow(operation, reached, upTo, List.copyOf(changed), owner, epoch, leaseUntil);
    }

    OperationRow leased(@Nullable String node, long newEpoch, @Nullable Instant until) {
        return new OperationRow(operation, reached, upTo, lanes, node, newEpoch, until);
    }

    boolean goesOn() {
        return !operation.state().ended();
    }

    boolean isFreeFor(String node, Instant now) {
        return goesOn() && (leaseUntil == null || leaseUntil.isBefore(now) || node.equals(owner));
    }
}
