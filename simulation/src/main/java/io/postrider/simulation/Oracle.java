package io.postrider.simulation;

import io.postrider.EventId;
import io.postrider.Ledger;
import io.postrider.Position;
import io.postrider.StoredEvent;
import io.postrider.memory.MemoryStore;
import io.postrider.spi.Delivery;
import io.postrider.spi.Ownership;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Knows what was committed and what handlers saw, and says when a guarantee of the design does not hold.
 *
 * <ol>
 *   <li>Every committed event reaches an end in every subscription; one that was rolled back is never dispatched.
 *   <li>In an ordered subscription no event is dispatched before the earlier ones of its key have come to something.
 *   <li>A settle under an epoch that is no longer the lane's writes nothing; an event that has settled is not
 *       dispatched again, unless an operator replays it.
 *   <li>An effect in the store happens once for each event that was taken, however often it is dispatched.
 *   <li>What is dead can be found.
 *   <li>The ledger adds up, at any time.
 *   <li>What a broker has acknowledged and lost is dispatched again.
 * </ol>
 *
 * <p>It keeps books of its own: of the store it asks only what is visible to everyone.
 */
final class Oracle {
    private final Scheduler scheduler;
    private final MemoryStore store;
    private final Duration handlerTimeout;
    private final int attempts;
    private final Map<EventId, Committed> committed = new LinkedHashMap<>();
    private final Map<String, List<Committed>> byKey = new HashMap<>();
    private final Set<EventId> rolledBack = new HashSet<>();
    private final Set<EventId> vanished = new HashSet<>();
    private final Map<Seen, Dispatches> dispatches = new HashMap<>();
    private final Set<EventId> lost = new LinkedHashSet<>();
    private final Set<Seen> discarded = new HashSet<>();
    private final Map<String, Long> epochs = new HashMap<>();

    /** An event as a receiver sees it. */
    record Arrival(EventId id, String type, String key, int attempt) {}

    /** An event that was committed. */
    private record Committed(EventId id, String key, String type) {}

    private record Seen(String subscription, EventId id) {}

    /** What became of the dispatches of an event so far. */
    private static final class Dispatches {
        int started;
        boolean taken;
        boolean lastAttempt;
        boolean running;
        boolean replayed;
        long lastStarted;
    }

    Oracle(Scheduler scheduler, MemoryStore store, Duration handlerTimeout, int attempts) {
        this.scheduler = scheduler;
        this.store = store;
        this.handlerTimeout = handlerTimeout;
        this.attempts = attempts;
    }

    // ---- what happened to the log -----------------------------------------------------------------------------------

    void committed(List<EventId> ids, List<Action.Item> items) {
        for (int i = 0; i < ids.size(); i++) {
            Action.Item item = items.get(i);
            Committed event = new Committed(ids.get(i), item.key(), item.type());
            committed.put(event.id(), event);
            byKey.computeIfAbsent(event.key(), key -> new ArrayList<>()).add(event);
        }
    }

    void rolledBack(List<EventId> ids) {
        rolledBack.addAll(ids);
    }

    /** A crash of the store took these with it: nobody was promised anything about them. */
    void vanished(List<StoredEvent> events) {
        for (StoredEvent event : events) {
            Committed gone = committed.remove(event.id());
            if (gone != null) {
                byKey.getOrDefault(gone.key(), new ArrayList<>()).remove(gone);
            }
            vanished.add(event.id());
        }
    }

    // ---- what the engine does ---------------------------------------------------------------------------------------

    /**
     * Notes a dispatch to a handler with effects in the store; answers how many there were. One that waited for the
     * record of another may come when its event has settled: what counts is its effect.
     */
    int begun(Subscribed subscription, Arrival event) {
        Dispatches known = of(subscription, event.id());
        known.started++;
        requireCommitted(subscription, event);
        return known.started;
    }

    /** An effect of this event is in the store. */
    void effect(Subscribed subscription, EventId id) {
        Dispatches known = of(subscription, id);
        if (known.taken) {
            throw fail("4: %s has the effect of %s a second time", subscription.subscription(), id);
        }
        known.taken = true;
    }

    private Dispatches of(Subscribed subscription, EventId id) {
        return dispatches.computeIfAbsent(new Seen(subscription.subscription(), id), key -> new Dispatches());
    }

    /** Notes a dispatch; answers how many there were of this event, this one included. */
    int started(Subscribed subscription, Arrival event) {
        Dispatches known = of(subscription, event.id());
        known.started++;
        known.lastStarted = scheduler.nanos();
        known.running = true;
        if (vanished.contains(event.id())) {
            return known.started;
        }
        requireCommitted(subscription, event);
        if (!store.unsettled(subscription.subscription(), event.id())) {
            throw fail("3: %s dispatches %s, which has settled", subscription.subscription(), event.id());
        }
        if (subscription.ordered()) {
            requireInOrder(subscription, event);
        }
        known.lastAttempt |= event.attempt() >= attempts;
        return known.started;
    }

    private void requireCommitted(Subscribed subscription, Arrival event) {
        if (vanished.contains(event.id())) {
            return;
        }
        if (rolledBack.contains(event.id()) || !committed.containsKey(event.id())) {
            throw fail("1: %s dispatches %s, which was not committed", subscription.subscription(), event.id());
        }
    }

    private void requireInOrder(Subscribed subscription, Arrival event) {
        for (Committed earlier : byKey.getOrDefault(event.key(), List.of())) {
            if (earlier.id().equals(event.id())) {
                return;
            }
            if (subscription.takes(earlier.type()) && !cameToSomething(subscription, earlier.id())) {
                throw fail(
                        "2: %s dispatches %s of key %s before %s has come to something",
                        subscription.subscription(), event.id(), event.key(), earlier.id());
            }
        }
    }

    /** Taken, or dead as far as dispatches can tell, or settled one way or another. */
    private boolean cameToSomething(Subscribed subscription, EventId id) {
        Dispatches known = dispatches.get(new Seen(subscription.subscription(), id));
        if (known != null && (known.taken || known.replayed || (known.lastAttempt && !isRunning(known)))) {
            return true;
        }
        return !store.unsettled(subscription.subscription(), id);
    }

    /** The engine waits for a handler no longer than this; a process that was killed has its lanes for longer. */
    private boolean isRunning(Dispatches known) {
        return known.running && scheduler.nanos() - known.lastStarted < handlerTimeout.toNanos();
    }

    /** An operator replays a dead event: it has come to something once, and its followers need not wait again. */
    void replayed(Subscribed subscription, EventId id) {
        of(subscription, id).replayed = true;
    }

    void taken(Subscribed subscription, Arrival event) {
        Dispatches known = of(subscription, event.id());
        known.taken = true;
        known.running = false;
    }

    void refused(Subscribed subscription, Arrival event) {
        of(subscription, event.id()).running = false;
    }

    /** Nobody has taken it. */
    void unreached(Subscribed subscription, Arrival event) {
        of(subscription, event.id()).running = false;
    }

    /** A broker had taken these, and has them no more. */
    void lost(Subscribed subscription, List<EventId> ids) {
        for (EventId id : ids) {
            of(subscription, id).taken = false;
            lost.add(id);
        }
    }

    /** An operator discards a dead event: nobody waits for it any more. */
    void discarded(Subscribed subscription, EventId id) {
        discarded.add(new Seen(subscription.subscription(), id));
    }

    /**
     * What a broker had taken and lost, and was not given since. A broker may take an event whose last answer nobody
     * hears: that one is dead, and whoever wants it replays it.
     */
    List<EventId> missing(Subscribed subscription) {
        if (subscription != Subscribed.DESTINATION) {
            return List.of();
        }
        Set<EventId> buried = buried(subscription);
        return lost.stream()
                .filter(id -> !taken(subscription, id) && !buried.contains(id) && !vanished.contains(id))
                .filter(id -> !discarded.contains(new Seen(subscription.subscription(), id)))
                .toList();
    }

    void claimed(Ownership ownership) {
        epochs.merge(lane(ownership), ownership.epoch(), Math::max);
    }

    void settled(Ownership ownership) {
        long latest = epochs.getOrDefault(lane(ownership), 0L);
        if (ownership.epoch() < latest) {
            throw fail("3: %s settles, although the lane has epoch %d by now", ownership, latest);
        }
    }

    /** Epochs of an incarnation that is over may be handed out again. */
    void storeCrashed() {
        epochs.clear();
    }

    private static String lane(Ownership ownership) {
        return ownership.subscription() + "/" + ownership.lane();
    }

    // ---- at any time, and in the end --------------------------------------------------------------------------------

    void requireLedger(Subscribed subscription) {
        Ledger ledger = store.ledger(subscription.subscription());
        if (ledger.appended() != committed.size()) {
            throw fail(
                    "6: %s has %s, but %d events are committed", subscription.subscription(), ledger, committed.size());
        }
    }

    /** Nothing is pending and nothing waits, also not for what an operator has decided. */
    boolean isQuiet(Subscribed subscription) {
        return store.ledger(subscription.subscription()).pending() == 0
                && missing(subscription).isEmpty()
                && Stream.of(Delivery.Status.values())
                        .filter(status -> status != Delivery.Status.DEAD)
                        .allMatch(status -> deliveries(subscription, status).isEmpty());
    }

    void requireEnd(Subscribed subscription) {
        requireLedger(subscription);
        Ledger ledger = store.ledger(subscription.subscription());
        Set<EventId> buried = buried(subscription);
        if (buried.size() != ledger.counts().dead()) {
            throw fail(
                    "5: %s has %d dead events, but %d are found",
                    subscription.subscription(), ledger.counts().dead(), buried.size());
        }
        long others = committed.values().stream()
                .filter(event -> !subscription.takes(event.type()))
                .count();
        if (ledger.counts().skipped() != others) {
            throw fail(
                    "6: %s skipped %d events, not %d",
                    subscription.subscription(), ledger.counts().skipped(), others);
        }
        long lost = committed.values().stream()
                .filter(event -> subscription.takes(event.type()))
                .filter(event -> !taken(subscription, event.id()) && !buried.contains(event.id()))
                .count();
        if (lost > ledger.counts().discarded()) {
            throw fail(
                    "1: %s neither took nor buried %d events, %d were discarded",
                    subscription.subscription(), lost, ledger.counts().discarded());
        }
    }

    private Set<EventId> buried(Subscribed subscription) {
        return deliveries(subscription, Delivery.Status.DEAD).stream()
                .map(Delivery::id)
                .collect(Collectors.toSet());
    }

    private List<Delivery> deliveries(Subscribed subscription, Delivery.Status status) {
        return store.deliveries(subscription.subscription(), status, new Position(0), Integer.MAX_VALUE);
    }

    private boolean taken(Subscribed subscription, EventId id) {
        Dispatches known = dispatches.get(new Seen(subscription.subscription(), id));
        return known != null && known.taken;
    }

    /** Ends the run. To be thrown, so that the caller goes no further. */
    Scheduler.Gone fail(String message, Object... arguments) {
        scheduler.end(new Violation(message.formatted(arguments)));
        return new Scheduler.Gone();
    }
}
