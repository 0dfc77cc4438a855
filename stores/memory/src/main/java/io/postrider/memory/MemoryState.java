package io.postrider.memory;

import io.postrider.EventId;
import io.postrider.Lane;
import io.postrider.Position;
import io.postrider.StoredEvent;
import io.postrider.destination.Placed;
import io.postrider.operate.Audit;
import io.postrider.operate.Browse;
import io.postrider.operate.Counts;
import io.postrider.operate.Delivery;
import io.postrider.operate.Drop;
import io.postrider.operate.Story;
import io.postrider.store.Ownership;
import io.postrider.store.RefusedException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** All that a memory store knows. Every operation holds this object's monitor from its first look to its last write. */
final class MemoryState {
    final int lanes;
    MemoryLog log;
    Map<String, SubscriptionRow> subscriptions = new LinkedHashMap<>();
    Map<String, NodeRow> nodes = new LinkedHashMap<>();
    MemoryRecords<MemoryProcessed.Key> processed = new MemoryRecords<>(this);
    MemoryRecords<MemoryReceive.Key> received = new MemoryRecords<>(this);
    /** How many messages came again, by source. */
    Map<String, Long> repeated = new HashMap<>();
    /** The newest place of each reader of a source. */
    Map<String, Placed.Place> places = new HashMap<>();
    /** Nodes that are to hand back their lanes and to take none. */
    Set<String> draining = new LinkedHashSet<>();

    List<Audit.Entry> audit = new ArrayList<>();
    NavigableMap<Long, OperationRow> operations = new TreeMap<>();
    /** The operations that have decided about an event. */
    Map<EventId, Set<Long>> decided = new HashMap<>();
    /** What retentions have let go, the latest last. */
    List<Drop> drops = new ArrayList<>();

    /** Why no event can be made of what is there. No crash heals it. */
    final Map<EventId, String> defects = new HashMap<>(0);
    /** The delivery rows that it refuses. */
    Predicate<Delivery> refused = row -> false;

    Predicate<StoredEvent> refusedAtCommit = event -> false;

    private final InstantSource clock;
    private long epochs;
    private long operationIds;
    private long auditNumbers;
    private int incarnation;
    private int crashes;
    private @Nullable MemoryState flushed;

    /** A node's lease, and what it runs. */
    record NodeRow(Instant until, Set<String> subscriptions, Map<String, String> filters) {
        /** Whether it runs the subscription with another filter than this one, or stands by with it. */
        boolean differs(String subscription, String filter) {
            return !filter.equals(filters.getOrDefault(subscription, filter));
        }
    }

    MemoryState(InstantSource clock, int lanes) {
        this.lanes = Lane.requireCount(lanes);
        this.log = new MemoryLog(lanes);
        this.clock = clock;
    }

    /** Refuses a row as a database would that has a constraint against it. */
    void requireTakes(Delivery row) {
        if (refused.test(row)) {
            throw new RefusedException("the row at " + row.position() + " is refused");
        }
    }

    // ---- crashes ----------------------------------------------------------------------------------------------------

    /** What a lane's owner has to name: after a crash, everything claimed before is void. */
    String incarnation() {
        return "memory-" + incarnation;
    }

    /** How often it crashed; transactions do not outlive that. */
    int crashes() {
        return crashes;
    }

    /** From now on, a crash loses nothing of what is there at present. */
    void flush() {
        flushed = copy();
    }

    /** Goes back to what was flushed last. */
    void crash(boolean noticed) {
        MemoryState left = flushed == null ? new MemoryState(clock, lanes) : flushed.copy();
        log = left.log;
        subscriptions = left.subscriptions;
        nodes = left.nodes;
        processed = left.processed.copy(this);
        received = left.received.copy(this);
        repeated = left.repeated;
        places = left.places;
        draining = left.draining;
        audit = left.audit;
        operations = left.operations;
        decided = left.decided;
        drops = left.drops;
        epochs = left.epochs;
        operationIds = left.operationIds;
        auditNumbers = left.auditNumbers;
        crashes++;
        incarnation += noticed ? 1 : 0;
    }

    private MemoryState copy() {
        MemoryState copy = new MemoryState(clock, lanes);
        copy.log = log.copy();
        subscriptions.forEach((name, row) -> copy.subscriptions.put(name, row.copy()));
        copy.nodes.putAll(nodes);
        copy.processed = processed.copy(copy);
        copy.received = received.copy(copy);
        copy.repeated.putAll(repeated);
        copy.places.putAll(places);
        copy.draining.addAll(draining);
        copy.audit.addAll(audit);
        copy.operations.putAll(operations);
        decided.forEach((event, by) -> copy.decided.put(event, new HashSet<>(by)));
        copy.drops.addAll(drops);
        copy.epochs = epochs;
        copy.operationIds = operationIds;
        copy.auditNumbers = auditNumbers;
        return copy;
    }

    // ---- what is there ----------------------------------------------------------------------------------------------

    Instant now() {
        return clock.instant();
    }

    /** Epochs are drawn for all lanes together, so that a subscription removed and registered again repeats none. */
    long drawEpoch() {
        return ++epochs;
    }

    long drawOperation() {
        return ++operationIds;
    }

    long drawAuditNumber() {
        return ++auditNumbers;
    }

    boolean isLive(@Nullable String node) {
        NodeRow row = node == null ? null : nodes.get(node);
        return row != null && row.until().isAfter(now());
    }

    /** For those who ask about one by its name, which they may have misspelt. */
    SubscriptionRow known(String name) {
        SubscriptionRow row = subscriptions.get(name);
        if (row == null) {
            throw Browse.unknown(name, List.copyOf(subscriptions.keySet()));
        }
        return row;
    }

    /** None where the subscription is gone: who looks may always be too late. */
    List<LaneRow> lanesOfSubscription(String name) {
        SubscriptionRow row = subscriptions.get(name);
        return row == null ? List.of() : row.lanes;
    }

    LaneRow lane(String subscription, Lane lane) {
        return lanesOfSubscription(subscription).get(lane.number());
    }

    /** What was decided about an event is part of its story. */
    void decided(String subscription, Position position, Story.Ending decision, @Nullable String who) {
        SubscriptionRow row = subscriptions.get(subscription);
        if (row != null) {
            row.tried(position.value(), new Story.Attempt(0, decision, null, who, now()));
        }
    }

    /** Counts what was decided outside of the lanes. */
    void tally(String subscription, Counts change) {
        SubscriptionRow row = subscriptions.get(subscription);
        if (row != null) {
            row.tally = row.tally.plus(change);
        }
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
        if (row == null || !ownership.incarnation().equals(incarnation())) {
            return null;
        }
        LaneRow lane = row.lane(ownership.lane());
        return lane.owner != null && lane.epoch == ownership.epoch() ? lane : null;
    }

    /** Whether a subscription still has something to do with an event: it is pending, or waits in a delivery row. */
    boolean unsettled(String subscription, EventId id) {
        return lanesOfSubscription(subscription).stream()
                .anyMatch(lane -> MemoryLog.pending(log.lane(lane.lane), lane.cursor).stream()
                                .anyMatch(row -> row.event().id().equals(id))
                        || !lane.deliveries(row -> row.id().equals(id) && row.waits())
                                .isEmpty());
    }

    /** The position at or below which no subscription will read anything any more. */
    long floor() {
        return lanes().map(lane -> lane.cursor.floor())
                .min(Comparator.naturalOrder())
                .orElse(log.head());
    }
}
