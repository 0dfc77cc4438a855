package io.postrider.memory;

import io.postrider.StoredEvent;
import io.postrider.memory.LaneRow.DeliveryRow;
import io.postrider.memory.LaneRow.PastFilter;
import io.postrider.memory.MemoryState.NodeRow;
import io.postrider.operate.Audit;
import io.postrider.operate.By;
import io.postrider.operate.Delivery;
import io.postrider.operate.Story;
import io.postrider.store.FilterText;
import io.postrider.store.Subscriptions.Registered;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The filters of subscriptions: how they change, and which was in force for an event. Called with the state's monitor.
 */
final class MemoryFilters {
    private static final String TAKEN = "a changed filter took its lane away before it settled";

    private final MemoryState state;

    MemoryFilters(MemoryState state) {
        this.state = state;
    }

    /** Under which filter an event was settled, whether that took it, and when, if it had a delivery row. */
    record Judged(String filter, boolean taken, @Nullable Instant at) {}

    // ---- changes ----------------------------------------------------------------------------------------------------

    Registered register(String subscription, SubscriptionRow row, String filter, String node) {
        if (row.filter.equals(filter)) {
            return Registered.FOUND;
        }
        String replaced = row.filter;
        change(subscription, row, filter, new By(node, "it started with another filter"), Audit.Action.CHANGE_FILTER);
        List<String> others = state.nodes.entrySet().stream()
                .filter(other -> !other.getKey().equals(node) && state.isLive(other.getKey()))
                .filter(other -> other.getValue().differs(subscription, filter))
                .map(Map.Entry::getKey)
                .sorted()
                .toList();
        return new Registered(false, 0, replaced, others);
    }

    Optional<String> takeBack(String subscription, String filter, Duration unheld, String node) {
        SubscriptionRow row = state.subscriptions.get(subscription);
        if (row == null || row.filter.equals(filter) || !isUnheld(subscription, row, filter, unheld)) {
            return Optional.empty();
        }
        String given = row.filter;
        By by = new By(node, "no live node had the filter any more");
        change(subscription, row, filter, by, Audit.Action.TAKE_FILTER_BACK);
        return Optional.of(given);
    }

    private boolean isUnheld(String subscription, SubscriptionRow row, String wanted, Duration unheld) {
        Instant since = state.now().minus(unheld);
        boolean held = row.filterAt.isAfter(since)
                || state.nodes.values().stream()
                        .anyMatch(node -> row.filter.equals(node.filters().get(subscription))
                                && node.until().isAfter(since));
        boolean rightful = wanted.equals(row.filterBefore)
                || state.nodes.values().stream()
                        .noneMatch(node -> node.until().isAfter(state.now())
                                && Objects.equals(
                                        row.filterBefore, node.filters().get(subscription)));
        return !held && rightful;
    }

    /** Takes the lanes away, so that nothing is settled under the old filter any more. */
    private void change(String subscription, SubscriptionRow row, String filter, By by, Audit.Action action) {
        FilterText old = new FilterText(row.filter);
        for (LaneRow lane : row.lanes) {
            lane.pastFilters.add(new PastFilter(row.filter, lane.cursor, state.now()));
            if (state.isLive(lane.owner)) {
                goOnWithoutAttempt(lane);
            } else if (lane.owner != null) {
                lane.takeovers++; // an event that ends its process is found all the same
            }
            lane.takeAway(state.drawEpoch());
            List.copyOf(lane.deliveries.values()).stream()
                    .filter(each -> each.delivery().status() == Delivery.Status.RUNNING)
                    .filter(each -> isOnlySkipped(subscription, old, each))
                    .forEach(each -> lane.replace(new DeliveryRow(
                            each.delivery().ready(each.delivery().error()), each.event())));
        }
        if (old.isQueue() != new FilterText(filter).isQueue()) {
            row.lanes.forEach(MemoryFilters::waitAnew);
        }
        new MemoryAudit(state).note(by, action, subscription, Map.of("from", row.filter, "to", filter));
        row.filterBefore = row.filter;
        row.filter = filter;
        row.filterAt = state.now();
        if (old.settlesWithEffect() != new FilterText(filter).settlesWithEffect()) {
            row.formAt = row.filterAt;
        }
    }

    /** The owner lives and can settle these no more, although nothing has failed. */
    private static void goOnWithoutAttempt(LaneRow lane) {
        List.copyOf(lane.deliveries.values()).stream()
                .filter(each -> each.delivery().status() == Delivery.Status.RUNNING && each.lease() == null)
                .forEach(each -> lane.replace(new DeliveryRow(taken(each.delivery()), each.event())));
    }

    private static Delivery taken(Delivery row) {
        return row.waiting(Math.max(0, row.attempt() - 1), row.dueAt(), TAKEN);
    }

    /** Tasks, and events that a lane's owner runs, are for the other kind to find: both are there as rows that wait. */
    private static void waitAnew(LaneRow lane) {
        List.copyOf(lane.deliveries.values()).stream()
                .filter(each -> each.delivery().waits())
                .forEach(each -> lane.replace(new DeliveryRow(waiting(each.delivery()), each.event())));
    }

    private static Delivery waiting(Delivery row) {
        return row.waiting(row.attempt(), row.dueAt(), row.error()).behind(false);
    }

    /**
     * Whether a task was claimed only to be skipped: the filter did not take it, and neither does that of its owner,
     * which may have claimed it before the filter was in force.
     */
    private boolean isOnlySkipped(String subscription, FilterText filter, DeliveryRow task) {
        if (task.lease() == null || filter.takes(task.delivery().type())) {
            return false;
        }
        NodeRow owner = state.nodes.get(task.lease().owner());
        String own = owner == null ? null : owner.filters().get(subscription);
        return own == null || !new FilterText(own).takes(task.delivery().type());
    }

    /** A node that is forgotten had its filters until then. */
    void heldUntil(NodeRow node, Instant until) {
        node.filters().forEach((subscription, filter) -> {
            SubscriptionRow row = state.subscriptions.get(subscription);
            if (row != null && row.filter.equals(filter) && until.isAfter(row.filterAt)) {
                row.filterAt = until;
            }
        });
    }

    // ---- what was taken ---------------------------------------------------------------------------------------------

    /**
     * By its last attempt if it had a delivery row; otherwise by the first past filter under which its lane had come
     * past it, or by the present one if there is none.
     */
    Judged judged(SubscriptionRow row, StoredEvent event) {
        LaneRow lane = row.lane(event.lane());
        List<Story.Attempt> ended = Tried.of(row.tried, event.position().value()).stream()
                .filter(each -> each.ending() == Story.Ending.DELIVERED || each.ending() == Story.Ending.SKIPPED)
                .toList();
        if (!ended.isEmpty()) {
            Story.Attempt last = ended.get(ended.size() - 1);
            String then =
                    first(lane, past -> past.changedAt().isAfter(last.at())).orElse(row.filter);
            return new Judged(then, last.ending() == Story.Ending.DELIVERED, last.at());
        }
        LogRow logged = state.log.row(event.position().value());
        String then = logged == null ? row.filter : passedUnder(row, lane, logged);
        return new Judged(then, new FilterText(then).takes(event.type()), null);
    }

    /** The filter under which a lane has passed an event, or will pass it if nothing changes. */
    static String passedUnder(SubscriptionRow row, LaneRow lane, LogRow logged) {
        return first(lane, past -> MemoryLog.handled(past.cursor(), logged)).orElse(row.filter);
    }

    private static Optional<String> first(LaneRow lane, Predicate<PastFilter> wanted) {
        return lane.pastFilters.stream().filter(wanted).map(PastFilter::filter).findFirst();
    }
}
