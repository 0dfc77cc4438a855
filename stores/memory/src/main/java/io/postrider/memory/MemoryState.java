package io.postrider.memory;

import io.postrider.spi.Ownership;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** All that a memory store knows. Every operation holds this object's monitor from its first look to its last write. */
final class MemoryState {
    /** There is only one: what is in memory never recovers from anything. */
    static final String INCARNATION = "memory";

    final MemoryLog log = new MemoryLog();
    final Map<String, SubscriptionRow> subscriptions = new LinkedHashMap<>();
    final Map<String, NodeRow> nodes = new HashMap<>();
    private final InstantSource clock;
    private long epochs;

    /** A node's lease, and what it runs. */
    record NodeRow(Instant until, Set<String> subscriptions) {}

    MemoryState(InstantSource clock) {
        this.clock = clock;
    }

    Instant now() {
        return clock.instant();
    }

    /** Epochs are drawn for all lanes together, so that a subscription removed and registered again repeats none. */
    long drawEpoch() {
        return ++epochs;
    }

    boolean isLive(@Nullable String node) {
        NodeRow row = node == null ? null : nodes.get(node);
        return row != null && row.until().isAfter(now());
    }

    /** None where the subscription is gone: who looks may always be too late. */
    List<LaneRow> lanesOfSubscription(String name) {
        SubscriptionRow row = subscriptions.get(name);
        return row == null ? List.of() : row.lanes;
    }

    Stream<LaneRow> lanes() {
        return subscriptions.values().stream().flatMap(row -> row.lanes.stream());
    }

    List<LaneRow> lanesOf(String node) {
        return lanes().filter(lane -> node.equals(lane.owner)).toList();
    }

    /** The lane if it is still held under this epoch, or null. */
    @Nullable
    LaneRow held(Ownership ownership) {
        SubscriptionRow row = subscriptions.get(ownership.subscription());
        if (row == null || !ownership.incarnation().equals(INCARNATION)) {
            return null;
        }
        LaneRow lane = row.lane(ownership.lane());
        return lane.owner != null && lane.epoch == ownership.epoch() ? lane : null;
    }

    /** The position at or below which no subscription will read anything any more. */
    long floor() {
        return lanes().map(lane -> lane.cursor.floor())
                .min(Comparator.naturalOrder())
                .orElse(log.head());
    }
}
