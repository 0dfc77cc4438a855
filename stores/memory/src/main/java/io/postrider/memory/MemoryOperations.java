package io.postrider.memory;

import io.postrider.By;
import io.postrider.EventFilter;
import io.postrider.memory.LaneRow.DeliveryRow;
import io.postrider.spi.Audit.Action;
import io.postrider.spi.Delivery;
import io.postrider.spi.Operate;
import io.postrider.spi.Operation;
import io.postrider.spi.Operations;
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

    MemoryOperations(MemoryState state, MemoryAudit audit) {
        this.state = state;
        this.audit = audit;
        this.deadEvents = new MemoryDeadEvents(state);
    }

    @Override
    public Preview preview(Operation.Target target, int sample) {
        synchronized (state) {
            restore(target);
            List<Delivery> rows = rows(target).map(row -> row.row().delivery()).toList();
            return new Preview(rows.size(), rows.stream().limit(sample).toList());
        }
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
        return target.states().contains(row.status())
                && target.filter().matches(found.row().event())
                && (target.errorContains() == null || (error != null && error.contains(target.errorContains())))
                && (target.reprocessedBelow() == null || found.mark().reprocessed() < target.reprocessedBelow());
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
        synchronized (state) {
            if (!state.subscriptions.containsKey(target.subscription())) {
                return Optional.empty();
            }
            restore(target);
            Operation.Pace kept = kind == Operation.Kind.REPLAY ? pace : pace.canary(0, 0);
            long total = rows(target).count();
            long upTo = rows(target).mapToLong(Found::position).max().orElse(0);
            Operation started = new Operation(
                    state.operations.size() + 1L,
                    kind,
                    target,
                    kept,
                    by,
                    kept.canary() > 0 ? Operation.State.CANARY : Operation.State.RUNNING,
                    state.now(),
                    null,
                    new Operation.Progress(total, 0, 0, 0),
                    List.of());
            state.operations.put(started.id(), new OperationRow(started, 0, upTo, null, 0, null));
            audit.note(by, Action.OPERATION_STARTED, target.subscription(), started.id(), details(started));
            return Optional.of(started);
        }
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

    private static String names(Set<Delivery.Status> states) {
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

    void end(OperationRow row, Operation.State as, By by, Action action, List<String> reasons) {
        change(row, as, reasons);
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
        return state.lanes()
                .flatMap(lane -> lane.deliveries.values().stream()
                        .map(DeliveryRow::delivery)
                        .filter(row -> Long.valueOf(operation)
                                .equals(lane.mark(row.position()).operation())));
    }
}
