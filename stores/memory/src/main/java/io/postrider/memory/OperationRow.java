package io.postrider.memory;

import io.postrider.spi.Operation;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** An operation, how far it is, and who carries it out. Its progress counts what is done and nothing else. */
record OperationRow(
        Operation operation,
        long reached,
        long upTo,
        @Nullable String owner,
        long epoch,
        @Nullable Instant leaseUntil) {

    OperationRow with(Operation changed) {
        return new OperationRow(changed, reached, upTo, owner, epoch, leaseUntil);
    }

    OperationRow reached(long position) {
        return new OperationRow(operation, position, upTo, owner, epoch, leaseUntil);
    }

    OperationRow leased(@Nullable String node, long newEpoch, @Nullable Instant until) {
        return new OperationRow(operation, reached, upTo, node, newEpoch, until);
    }

    boolean goesOn() {
        return !operation.state().ended();
    }

    boolean isFreeFor(String node, Instant now) {
        return goesOn() && (leaseUntil == null || leaseUntil.isBefore(now) || node.equals(owner));
    }
}
