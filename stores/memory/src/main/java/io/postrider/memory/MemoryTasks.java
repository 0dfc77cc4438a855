package io.postrider.memory;

import io.postrider.memory.LaneRow.DeliveryRow;
import io.postrider.memory.LaneRow.TaskLease;
import io.postrider.operate.Counts;
import io.postrider.operate.Delivery;
import io.postrider.operate.Story;
import io.postrider.store.Claim;
import io.postrider.store.Tasks;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Tasks: delivery rows under leases of their own. */
final class MemoryTasks implements Tasks {
    private static final Comparator<DeliveryRow> BY_PRIORITY = Comparator.comparing(
                    (DeliveryRow row) -> -row.delivery().schedule().priority())
            .thenComparing(row -> row.delivery().position());

    private final MemoryState state;

    MemoryTasks(MemoryState state) {
        this.state = state;
    }

    @Override
    public Prepared prepare(String subscription, Preparer by) {
        synchronized (state) {
            SubscriptionRow subscribed = state.subscriptions.get(subscription);
            if (subscribed != null && by.filter() != null && !by.filter().equals(subscribed.filter)) {
                return new Prepared(0, false, List.of());
            }
            Instant now = state.now();
            List<Delivery> expired = new ArrayList<>();
            int readied = 0;
            boolean suspects =
                    ready(subscription).anyMatch(row -> row.delivery().suspect());
            for (LaneRow lane : state.lanesOfSubscription(subscription)) {
                for (DeliveryRow row : List.copyOf(lane.deliveries.values())) {
                    Delivery task = row.delivery();
                    if (waitsUnclaimed(task) && !isBefore(now, task.schedule().expiresAt())) {
                        lane.replace(new DeliveryRow(task.expired(task.attempt()), row.event()));
                        expired.add(task.expired(task.attempt()));
                        remember(subscription, task, Story.Ending.EXPIRED);
                    } else if (task.status() == Delivery.Status.WAITING
                            && !task.dueAt().isAfter(now)) {
                        lane.replace(new DeliveryRow(task.ready(task.error()), row.event()));
                        readied++;
                    } else if (isLeftOver(row, by)) {
                        Delivery ready = task.ready(
                                Tasks.lostBy(Objects.requireNonNull(row.lease()).owner(), task.error()));
                        lane.replace(new DeliveryRow(task.attempt() > 1 ? ready.suspected() : ready, row.event()));
                        remember(subscription, task, Story.Ending.LOST);
                        readied++;
                    }
                }
            }
            tally(subscription, new Counts(0, 0, -expired.size(), 0, expired.size(), 0));
            return new Prepared(readied, suspects, expired);
        }
    }

    /** Nobody renews it any more: its owner is gone, knows nothing of it, or has been late for too long. */
    private boolean isLeftOver(DeliveryRow row, Preparer by) {
        TaskLease lease = row.lease();
        Delivery task = row.delivery();
        Instant now = state.now();
        if (lease == null || task.status() != Delivery.Status.RUNNING || now.isBefore(lease.until())) {
            return false;
        }
        HeldTask held = new HeldTask(row.event().lane(), task.position(), lease.claim());
        return !by.holding().contains(held)
                && (by.node().equals(lease.owner())
                        || !state.isLive(lease.owner())
                        || !now.isBefore(lease.until().plus(by.patience())));
    }

    private static boolean waitsUnclaimed(Delivery task) {
        return task.status() == Delivery.Status.READY || task.status() == Delivery.Status.WAITING;
    }

    /** Nothing is ever too late for what has no time. */
    private static boolean isBefore(Instant now, @Nullable Instant time) {
        return time == null || now.isBefore(time);
    }

    @Override
    public List<Claim.ClaimedDelivery> claim(Claimant claimant, int most) {
        synchronized (state) {
            Instant now = state.now();
            Instant soon = now.plus(claimant.expiresSoon());
            Predicate<DeliveryRow> expiresSoon = row -> {
                Instant expiresAt = row.delivery().schedule().expiresAt();
                return expiresAt != null && !expiresAt.isAfter(soon);
            };
            List<DeliveryRow> ready = (hasFilter(claimant) ? ready(claimant.subscription()) : Stream.<DeliveryRow>of())
                    .filter(row -> isBefore(now, row.delivery().schedule().expiresAt()))
                    .filter(row -> row.delivery().suspect() == claimant.types().suspects())
                    .filter(row -> claimant.types().only()
                            == claimant.types().types().contains(row.delivery().type()))
                    .toList();
            Stream<DeliveryRow> first = ready.stream()
                    .filter(expiresSoon)
                    .sorted(Comparator.comparing(row ->
                            Objects.requireNonNull(row.delivery().schedule().expiresAt())));
            Stream<DeliveryRow> then =
                    ready.stream().filter(expiresSoon.negate()).sorted(BY_PRIORITY);
            return Stream.concat(first, then)
                    .limit(most)
                    .map(row -> claim(claimant, row, now))
                    .toList();
        }
    }

    private boolean hasFilter(Claimant claimant) {
        SubscriptionRow row = state.subscriptions.get(claimant.subscription());
        return row != null && (claimant.filter() == null || claimant.filter().equals(row.filter));
    }

    private Claim.ClaimedDelivery claim(Claimant claimant, DeliveryRow row, Instant now) {
        Delivery running = row.delivery().running(row.delivery().attempt() + 1);
        TaskLease lease = new TaskLease(claimant.node(), state.drawEpoch(), now.plus(claimant.lease()));
        lane(claimant.subscription(), row).replace(new DeliveryRow(running, row.event(), lease));
        return new Claim.ClaimedDelivery(
                running, row.event(), state.defects.get(row.event().id()), lease.claim());
    }

    private Stream<DeliveryRow> ready(String subscription) {
        return state.lanesOfSubscription(subscription).stream()
                .flatMap(lane -> lane.deliveries.values().stream())
                .filter(row -> row.delivery().status() == Delivery.Status.READY);
    }

    private LaneRow lane(String subscription, DeliveryRow row) {
        return state.lanesOfSubscription(subscription).get(row.event().lane().number());
    }

    @Override
    public Set<HeldTask> renew(String subscription, Set<HeldTask> tasks, Duration lease) {
        synchronized (state) {
            Set<HeldTask> kept = new HashSet<>();
            for (HeldTask held : tasks) {
                DeliveryRow row = row(subscription, held);
                TaskLease before = row == null ? null : row.lease();
                if (row != null && before != null) {
                    TaskLease longer = new TaskLease(
                            before.owner(), before.claim(), state.now().plus(lease));
                    lane(subscription, row).replace(new DeliveryRow(row.delivery(), row.event(), longer));
                    kept.add(held);
                }
            }
            return kept;
        }
    }

    @Override
    public Set<HeldTask> settle(String subscription, List<Ended> tasks) {
        synchronized (state) {
            tasks.stream().map(Ended::left).filter(Objects::nonNull).forEach(state::requireTakes);
            Set<HeldTask> settled = new HashSet<>();
            for (Ended ended : tasks) {
                DeliveryRow row = row(subscription, ended.task());
                if (row != null) {
                    Delivery left = ended.left();
                    if (left == null) {
                        boolean skipped = ended.change().skipped() > 0;
                        Story.Ending ending = skipped ? Story.Ending.SKIPPED : Story.Ending.DELIVERED;
                        remember(subscription, row.delivery(), ending);
                        lane(subscription, row).remove(row.delivery().position());
                    } else {
                        if (Tried.hasEnded(row.delivery(), left)) {
                            remember(subscription, left, Tried.ending(left));
                        }
                        lane(subscription, row).replace(new DeliveryRow(left.stack(null), row.event()));
                    }
                    tally(subscription, ended.change());
                    settled.add(ended.task());
                }
            }
            return settled;
        }
    }

    /** The row if it is still under this claim. */
    private @Nullable DeliveryRow row(String subscription, HeldTask held) {
        List<LaneRow> lanes = state.lanesOfSubscription(subscription);
        DeliveryRow row = lanes.isEmpty()
                ? null
                : lanes.get(held.lane().number()).deliveries.get(held.position().value());
        return row != null && row.lease() != null && row.lease().claim() == held.claim() ? row : null;
    }

    @Override
    public int ready(String subscription, int most) {
        synchronized (state) {
            return (int) ready(subscription).limit(most).count();
        }
    }

    private void remember(String subscription, Delivery task, Story.Ending ending) {
        SubscriptionRow row = state.subscriptions.get(subscription);
        if (row != null) {
            row.tried(task.position().value(), Tried.attempt(task, ending, null, state.now()));
        }
    }

    private void tally(String subscription, Counts change) {
        SubscriptionRow row = state.subscriptions.get(subscription);
        if (row != null) {
            row.tally = row.tally.plus(change);
        }
    }
}
