package io.postrider.memory;

import io.postrider.Position;
import io.postrider.operate.Browse;
import io.postrider.operate.Counts;
import io.postrider.operate.Delivery;
import io.postrider.operate.Ledger;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Browse: memory is cheap to count, so the estimate is exact too. */
final class MemoryBrowse implements Browse {
    private final MemoryState state;
    private final MemoryDeadEvents deadEvents;

    MemoryBrowse(MemoryState state) {
        this.state = state;
        this.deadEvents = new MemoryDeadEvents(state);
    }

    @Override
    public List<String> subscriptions() {
        synchronized (state) {
            return List.copyOf(state.subscriptions.keySet());
        }
    }

    @Override
    public Ledger ledger(String subscription) {
        synchronized (state) {
            return new Ledger(
                    counts(state.known(subscription)), pending(subscription).count());
        }
    }

    @Override
    public Progress progress(String subscription) {
        synchronized (state) {
            Instant oldest = pending(subscription)
                    .map(row -> row.event().appendedAt())
                    .min(Comparator.naturalOrder())
                    .orElse(null);
            return new Progress(
                    counts(state.known(subscription)), pending(subscription).count(), oldest);
        }
    }

    @Override
    public List<Delivery> deliveries(String subscription, Delivery.Status status, Position after, int limit) {
        synchronized (state) {
            Stream<Delivery> inPlace = state.known(subscription).lanes.stream()
                    .flatMap(lane -> lane.deliveries(row -> row.status() == status).stream());
            Stream<Delivery> moved = status == Delivery.Status.DEAD ? deadEvents.pending(subscription) : Stream.empty();
            return Stream.concat(inPlace, moved)
                    .filter(row -> row.position().compareTo(after) > 0)
                    .sorted(Comparator.comparing(Delivery::position))
                    .limit(limit)
                    .toList();
        }
    }

    @Override
    public List<OpenAppend> openAppends(int limit) {
        synchronized (state) {
            return state.log.running().entrySet().stream()
                    .limit(limit)
                    .map(open -> new OpenAppend("transaction " + open.getKey(), "this process", open.getValue()))
                    .toList();
        }
    }

    @Override
    public Optional<Duration> openAppendAge() {
        synchronized (state) {
            return state.log.running().values().stream()
                    .findFirst()
                    .map(since -> Duration.between(since, state.now()))
                    .map(age -> age.isNegative() ? Duration.ZERO : age);
        }
    }

    private static Counts counts(SubscriptionRow row) {
        return row.lanes.stream().map(lane -> lane.counts).reduce(row.tally, Counts::plus);
    }

    private Stream<LogRow> pending(String subscription) {
        return state.lanesOfSubscription(subscription).stream()
                .flatMap(lane -> MemoryLog.pending(state.log.lane(lane.lane), lane.cursor).stream());
    }
}
