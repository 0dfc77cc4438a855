package io.postrider.memory;

import io.postrider.EventId;
import io.postrider.memory.MemoryOperations.Found;
import io.postrider.operate.Audit.Action;
import io.postrider.operate.By;
import io.postrider.operate.Delivery;
import io.postrider.operate.Operation;
import io.postrider.store.Chunks;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Chunks: operations under leases and epochs. */
final class MemoryChunks implements Chunks {
    private static final int REASONS_MAX = 5;

    private final MemoryState state;
    private final MemoryOperations operations;
    private final MemorySettled settled;

    MemoryChunks(MemoryState state, MemoryOperations operations) {
        this.state = state;
        this.operations = operations;
        this.settled = new MemorySettled(state);
    }

    // ---- leases -----------------------------------------------------------------------------------------------------

    @Override
    public List<HeldOperation> take(String node, Set<Long> running, Duration lease, int most) {
        synchronized (state) {
            Instant now = state.now();
            List<OperationRow> free = state.operations.values().stream()
                    .filter(row -> row.isFreeFor(node, now)
                            && !running.contains(row.operation().id()))
                    .limit(most)
                    .toList();
            return free.stream().map(row -> take(row, node, now.plus(lease))).toList();
        }
    }

    private HeldOperation take(OperationRow row, String node, Instant until) {
        OperationRow taken = row.leased(node, row.epoch() + 1, until);
        state.operations.put(row.operation().id(), taken);
        return new HeldOperation(operations.told(taken), taken.epoch());
    }

    @Override
    public void release(List<HeldOperation> held) {
        synchronized (state) {
            for (HeldOperation one : held) {
                OperationRow row = row(one);
                if (row != null) {
                    state.operations.put(one.id(), row.leased(null, row.epoch(), null));
                }
            }
        }
    }

    /** The operation if it goes on under this epoch, or null. */
    private @Nullable OperationRow row(HeldOperation held) {
        OperationRow row = state.operations.get(held.id());
        return row != null && row.goesOn() && row.epoch() == held.epoch() ? row : null;
    }

    private void extend(OperationRow row, Duration lease) {
        state.operations.put(
                row.operation().id(),
                row.leased(row.owner(), row.epoch(), state.now().plus(lease)));
    }

    // ---- the work ---------------------------------------------------------------------------------------------------

    @Override
    public Optional<Moved> move(HeldOperation held, Room room, Duration lease) {
        synchronized (state) {
            OperationRow row = row(held);
            if (row == null) {
                return Optional.empty();
            } else if (row.operation().target().isSettled()) {
                return Optional.of(moveSettled(row, room, lease));
            }
            Operation operation = row.operation();
            List<Found> left = operations
                    .rows(operation.target())
                    .filter(found -> found.position() > row.reached() && found.position() <= row.upTo())
                    .filter(found -> !found.mark().changedAt().isAfter(operation.startedAt()))
                    .toList();
            List<Found> chunk = left.stream().limit(room.most()).toList();
            chunk.forEach(found -> decide(operation, found));
            boolean exhausted = left.size() < room.most();
            OperationRow moved = row.with(done(operation, chunk.size())).reached(exhausted ? row.upTo() : last(chunk));
            return Optional.of(moved(moved, chunk.size(), exhausted, false, lease));
        }
    }

    private Moved moved(OperationRow row, int count, boolean exhausted, boolean full, Duration lease) {
        Operation after = row.operation();
        boolean subscribed = state.subscriptions.containsKey(after.target().subscription());
        extend(row, lease);
        if (exhausted && subscribed && after.state() == Operation.State.RUNNING) {
            OperationRow ending = Objects.requireNonNull(state.operations.get(after.id()));
            operations.end(ending, Operation.State.FINISHED, after.by(), Action.OPERATION_FINISHED, List.of());
        }
        return new Moved(count, after.progress().done(), exhausted, full, subscribed);
    }

    // ---- settled events ---------------------------------------------------------------------------------------------

    private Moved moveSettled(OperationRow row, Room room, Duration lease) {
        Operation operation = row.operation();
        List<OperationRow.Reached> open = row.lanes().stream()
                .filter(lane -> !lane.isExhausted() && free(operation, lane, room) > 0)
                .toList();
        List<MemorySettled.Found> chunk = open.stream()
                .flatMap(lane -> left(operation, lane).limit(free(operation, lane, room)))
                .sorted(Comparator.comparing(MemorySettled.Found::position))
                .limit(room.most())
                .toList();
        chunk.forEach(found -> {
            settled.replay(found, operation.id(), operation.by().who());
            note(found.event().id(), operation.id());
        });
        List<OperationRow.Reached> lanes = row.lanes().stream()
                .map(lane -> open.contains(lane) ? advanced(operation, lane) : lane)
                .toList();
        boolean exhausted = lanes.stream().allMatch(OperationRow.Reached::isExhausted);
        OperationRow after = row.with(done(operation, chunk.size())).lanes(lanes);
        return moved(after, chunk.size(), exhausted, open.isEmpty() && !exhausted, lease);
    }

    /** Up to before the next event of the lane; what was replayed just now has a row, and is not met again. */
    private OperationRow.Reached advanced(Operation operation, OperationRow.Reached lane) {
        return left(operation, lane)
                .findFirst()
                .map(next -> lane.reached(next.position() - 1))
                .orElseGet(() -> lane.reached(lane.at().position()));
    }

    private Stream<MemorySettled.Found> left(Operation operation, OperationRow.Reached reached) {
        Operation.Target target = operation.target();
        return state.lanesOfSubscription(target.subscription()).stream()
                .filter(lane -> lane.lane.equals(reached.lane()))
                .flatMap(lane -> settled.events(target, lane, reached.at(), operation.startedAt()))
                .filter(found ->
                        found.position() > reached.reached() && settled.isTaken(target.subscription(), found.event()));
    }

    private long free(Operation operation, OperationRow.Reached reached, Room room) {
        String subscription = operation.target().subscription();
        return room.waitingPerLane()
                - state.lanesOfSubscription(subscription).stream()
                        .filter(lane -> lane.lane.equals(reached.lane()))
                        .flatMap(lane -> MemoryOperations.replayed(lane, operation.id()))
                        .filter(Delivery::waits)
                        .count();
    }

    // ---- rows -------------------------------------------------------------------------------------------------------

    private static long last(List<Found> chunk) {
        return chunk.get(chunk.size() - 1).position();
    }

    private void decide(Operation operation, Found found) {
        if (operation.kind() == Operation.Kind.REPLAY) {
            boolean bySchedule = operation.target().reprocessedBelow() != null;
            MemoryOperate.replay(
                    state,
                    found.lane(),
                    found.row(),
                    operation.by(),
                    mark -> mark.replayedBy(operation.id(), bySchedule));
        } else {
            MemoryOperate.discard(state, found.lane(), found.row(), operation.by());
        }
        found.lane().requests++;
        note(found.row().delivery().id(), operation.id());
    }

    private void note(EventId event, long operation) {
        state.decided.computeIfAbsent(event, id -> new HashSet<>()).add(operation);
    }

    private static Operation done(Operation before, int more) {
        Operation.Progress progress = before.progress();
        return new Operation(
                before.id(),
                before.kind(),
                before.target(),
                before.pace(),
                before.by(),
                before.state(),
                before.startedAt(),
                before.endedAt(),
                new Operation.Progress(progress.total(), progress.done() + more, 0, 0),
                before.reasons());
    }

    @Override
    public Optional<Watched> watch(HeldOperation held, int most, Duration lease) {
        synchronized (state) {
            OperationRow row = row(held);
            if (row == null) {
                return Optional.empty();
            }
            extend(row, lease);
            Operation.Progress progress = operations.told(row).progress();
            return Optional.of(new Watched(
                    (int) Math.min(most, progress.waiting()), (int) Math.min(most, progress.failedAgain())));
        }
    }

    // ---- how it goes on ---------------------------------------------------------------------------------------------

    @Override
    public boolean pass(HeldOperation held) {
        return change(held, Operation.State.RUNNING, Action.OPERATION_CANARY_PASSED, List.of());
    }

    @Override
    public boolean stop(HeldOperation held) {
        synchronized (state) {
            List<String> reasons = operations
                    .replayed(held.id())
                    .filter(row -> !row.waits())
                    .map(Delivery::error)
                    .filter(Objects::nonNull)
                    .distinct()
                    .limit(REASONS_MAX)
                    .toList();
            return change(held, Operation.State.STOPPED_BY_CANARY, Action.OPERATION_STOPPED_BY_CANARY, reasons);
        }
    }

    @Override
    public boolean fail(HeldOperation held, String why) {
        return change(held, Operation.State.FAILED, Action.OPERATION_FAILED, List.of(why));
    }

    private boolean change(HeldOperation held, Operation.State as, Action action, List<String> reasons) {
        synchronized (state) {
            OperationRow row = row(held);
            if (row == null) {
                return false;
            }
            operations.end(row, as, row.operation().by(), action, reasons);
            return true;
        }
    }

    // ---- by schedule ------------------------------------------------------------------------------------------------

    @Override
    public Optional<Operation> reprocess(Operation.Target target, Operation.Pace pace, Duration every, By by) {
        synchronized (state) {
            SubscriptionRow row = state.subscriptions.get(target.subscription());
            if (row == null) {
                return Optional.empty();
            }
            Instant before = row.reprocessedAt;
            if (before != null && before.plus(every).isAfter(state.now())) {
                return Optional.empty();
            }
            row.reprocessedAt = state.now();
            boolean runs = state.operations.values().stream()
                    .anyMatch(other -> other.goesOn()
                            && other.operation().target().reprocessedBelow() != null
                            && other.operation().target().subscription().equals(target.subscription()));
            if (before != null && !runs) {
                operations.restore(target);
            }
            return before == null || runs || operations.rows(target).findAny().isEmpty()
                    ? Optional.empty()
                    : operations.start(Operation.Kind.REPLAY, target, pace, by);
        }
    }
}
