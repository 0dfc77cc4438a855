package io.postrider.memory;

import io.postrider.EventFilter;
import io.postrider.Position;
import io.postrider.memory.LaneRow.DeliveryRow;
import io.postrider.operate.Audit.Action;
import io.postrider.operate.By;
import io.postrider.operate.Delivery;
import io.postrider.operate.Operate;
import io.postrider.operate.Operation;
import io.postrider.operate.Operations;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Operations: rows that say what is to be done; {@link MemoryChunks} does it. */
final class MemoryOperations implements Operations {
    private final MemoryState state;
    private final MemoryAudit audit;
    private final MemoryDeadEvents deadEvents;
    private final MemorySettled settled;

    MemoryOperations(MemoryState state, MemoryAudit audit) {
        this.state = state;
        this.audit = audit;
        this.deadEvents = new MemoryDeadEvents(state);
        this.settled = new MemorySettled(state);
    }

    @Override
    public Preview preview(Operation.Target target, int sample) {
        synchronized (state) {
            state.known(target.subscription());
            if (target.isSettled()) {
                return settledPreview(target, sample);
            }
            restore(target);
            List<Delivery> rows = rows(target).map(row -> row.row().delivery()).toList();
            return new Preview(rows.size(), rows.stream().limit(sample).toList(), List.of());
        }
    }

    private Preview settledPreview(Operation.Target target, int sample) {
        List<MemorySettled.Found> taken = settled(target, true);
        List<Delivery> first = taken.stream()
                .limit(sample)
                .map(found -> found.delivery(state.now()))
                .toList();
        return new Preview(taken.size(), first, leftOut(target));
    }

    /** What a target about settled events is about by now, by position; or what it leaves out. */
    private List<MemorySettled.Found> settled(Operation.Target target, boolean taken) {
        return state.lanesOfSubscription(target.subscription()).stream()
                .flatMap(lane -> settled.events(target, lane, lane.cursor, state.now()))
                .filter(found -> settled.isTaken(target.subscription(), found.event()) == taken)
                .sorted(Comparator.comparing(MemorySettled.Found::position))
                .toList();
    }

    private List<String> leftOut(Operation.Target target) {
        List<String> notes = new ArrayList<>();
        int notTaken = settled(target, false).size();
        if (notTaken > 0) {
            notes.add(Operations.notTaken(notTaken));
        }
        long pruned = state.log.prunedTo();
        Position from = target.range().from();
        if (pruned > 0 && (from == null || from.value() <= pruned)) {
            notes.add(Operations.pruned(pruned + 1));
        }
        return notes;
    }

    /** A delivery row and the lane it is in. */
    record Found(LaneRow lane, DeliveryRow row) {
        long position() {
            return row.delivery().position().value();
        }

        Mark mark() {
            return lane.mark(row.delivery().position());
        }
    }

    /** What a target is about, by position. */
    Stream<Found> rows(Operation.Target target) {
        return state.lanesOfSubscription(target.subscription()).stream()
                .flatMap(lane -> lane.deliveries.values().stream().map(row -> new Found(lane, row)))
                .filter(found -> matches(target, found))
                .sorted(Comparator.comparing(Found::position));
    }

    private static boolean matches(Operation.Target target, Found found) {
        Delivery row = found.row().delivery();
        String error = row.error();
        Operation.Standing standing = standing(row.status());
        return standing != null
                && target.states().contains(standing)
                && target.range().contains(row.position())
                && target.filter().matches(found.row().event())
                && (target.errorContains() == null || (error != null && error.contains(target.errorContains())))
                && (target.reprocessedBelow() == null || found.mark().reprocessed() < target.reprocessedBelow());
    }

    private static Operation.@Nullable Standing standing(Delivery.Status status) {
        return switch (status) {
            case DEAD -> Operation.Standing.DEAD;
            case EXPIRED -> Operation.Standing.EXPIRED;
            case READY, WAITING, RUNNING -> null;
        };
    }

    /** Puts back what was kept apart and has been replayed by schedule less often than the target says. */
    void restore(Operation.Target target) {
        Integer below = target.reprocessedBelow();
        deadEvents.restore(
                target.subscription(),
                dead -> below == null
                        || state.lane(target.subscription(), dead.event().lane())
                                        .mark(dead.event().position())
                                        .reprocessed()
                                < below);
    }

    @Override
    public Optional<Operation> start(Operation.Kind kind, Operation.Target target, Operation.Pace pace, By by) {
        kind.requireFits(target);
        synchronized (state) {
            state.known(target.subscription());
            if (!target.isSettled()) {
                restore(target);
            }
            Operation.Pace kept = kind == Operation.Kind.REPLAY ? pace : pace.canary(0, 0);
            List<Long> positions = target.isSettled()
                    ? settled(target, true).stream()
                            .map(MemorySettled.Found::position)
                            .toList()
                    : rows(target).map(Found::position).toList();
            long upTo = positions.isEmpty() ? 0 : positions.get(positions.size() - 1);
            Operation started = new Operation(
                    state.drawOperation(),
                    kind,
                    target,
                    kept,
                    by,
                    kept.canary() > 0 ? Operation.State.CANARY : Operation.State.RUNNING,
                    state.now(),
                    null,
                    new Operation.Progress(positions.size(), 0, 0, 0),
                    target.isSettled() ? leftOut(target) : List.of());
            state.operations.put(started.id(), OperationRow.started(started, upTo, lanes(target)));
            audit.note(by, Action.OPERATION_STARTED, target.subscription(), started.id(), details(started));
            return Optional.of(started);
        }
    }

    private List<OperationRow.Reached> lanes(Operation.Target target) {
        return target.isSettled()
                ? state.lanesOfSubscription(target.subscription()).stream()
                        .map(lane -> new OperationRow.Reached(lane.lane, lane.cursor, 0))
                        .toList()
                : List.of();
    }

    private static Map<String, String> details(Operation started) {
        Map<String, String> details = new TreeMap<>();
        details.put("kind", started.kind().name().toLowerCase(Locale.ROOT));
        details.put("total", String.valueOf(started.progress().total()));
        EventFilter filter = started.target().filter();
        put(details, "states", names(started.target().states()));
        put(details, "type", filter.type());
        put(details, "key", filter.key());
        put(details, "tenant", filter.tenant());
        put(details, "userId", filter.userId());
        put(details, "correlationId", filter.correlationId());
        put(details, "from", filter.from());
        put(details, "until", filter.until());
        put(details, "fromPosition", started.target().range().from());
        put(details, "toPosition", started.target().range().to());
        put(details, "errorContains", started.target().errorContains());
        put(
                details,
                "perSecond",
                started.pace().perSecond() == 0 ? null : started.pace().perSecond());
        put(
                details,
                "canary",
                started.pace().canary() == 0 ? null : started.pace().canary());
        return details;
    }

    private static String names(Set<Operation.Standing> states) {
        return states.stream()
                .map(status -> status.name().toLowerCase(Locale.ROOT))
                .sorted()
                .collect(Collectors.joining(", "));
    }

    private static void put(Map<String, String> details, String name, @Nullable Object value) {
        if (value != null) {
            details.put(name, value.toString());
        }
    }

    @Override
    public Operate.Answer cancel(long operation, By by) {
        synchronized (state) {
            OperationRow row = state.operations.get(operation);
            if (row == null) {
                return Operate.Answer.NO_OPERATION;
            } else if (!row.goesOn()) {
                return Operate.Answer.NOTHING;
            }
            end(row, Operation.State.CANCELLED, by, Action.OPERATION_CANCELLED, List.of());
            return Operate.Answer.DONE;
        }
    }

    /** Otherwise they would go on with events of the next subscription of this name. */
    void failAll(String subscription, String why) {
        List.copyOf(state.operations.values()).stream()
                .filter(row ->
                        row.goesOn() && row.operation().target().subscription().equals(subscription))
                .forEach(row ->
                        end(row, Operation.State.FAILED, row.operation().by(), Action.OPERATION_FAILED, List.of(why)));
    }

    void end(OperationRow row, Operation.State as, By by, Action action, List<String> reasons) {
        change(
                row,
                as,
                Stream.concat(row.operation().reasons().stream(), reasons.stream())
                        .toList());
        Operation.Progress progress = told(row).progress();
        Map<String, String> counts = Map.of(
                "total", String.valueOf(progress.total()),
                "done", String.valueOf(progress.done()),
                "failedAgain", String.valueOf(progress.failedAgain()));
        audit.note(
                by,
                action,
                row.operation().target().subscription(),
                row.operation().id(),
                counts);
    }

    private void change(OperationRow row, Operation.State as, List<String> reasons) {
        Operation before = row.operation();
        Operation after = new Operation(
                before.id(),
                before.kind(),
                before.target(),
                before.pace(),
                before.by(),
                as,
                before.startedAt(),
                as.ended() ? state.now() : null,
                before.progress(),
                reasons);
        state.operations.put(before.id(), row.with(after));
    }

    @Override
    public Optional<Operation> find(long operation) {
        synchronized (state) {
            return Optional.ofNullable(state.operations.get(operation)).map(this::told);
        }
    }

    @Override
    public List<Operation> list(@Nullable String subscription, long before, int limit) {
        synchronized (state) {
            return state.operations.headMap(before, false).descendingMap().values().stream()
                    .filter(row -> subscription == null
                            || row.operation().target().subscription().equals(subscription))
                    .limit(limit)
                    .map(this::told)
                    .toList();
        }
    }

    /** With what became of its events by now. */
    Operation told(OperationRow row) {
        Operation known = row.operation();
        Operation.Progress progress = new Operation.Progress(
                known.progress().total(),
                known.progress().done(),
                replayed(known.id()).filter(Delivery::waits).count(),
                replayed(known.id()).filter(delivery -> !delivery.waits()).count());
        return new Operation(
                known.id(),
                known.kind(),
                known.target(),
                known.pace(),
                known.by(),
                known.state(),
                known.startedAt(),
                known.endedAt(),
                progress,
                known.reasons());
    }

    /** The rows that an operation has replayed, as they are now. */
    Stream<Delivery> replayed(long operation) {
        return state.lanes().flatMap(lane -> replayed(lane, operation));
    }

    static Stream<Delivery> replayed(LaneRow lane, long operation) {
        return lane.deliveries.values().stream()
                .map(DeliveryRow::delivery)
                .filter(row ->
                        Long.valueOf(operation).equals(lane.mark(row.position()).operation()));
    }
}
