package io.postrider.simulation;

import io.postrider.EventId;
import io.postrider.Position;
import io.postrider.memory.MemoryStore;
import io.postrider.operate.Counts;
import io.postrider.operate.Delivery;
import io.postrider.operate.Ledger;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
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
 *   <li>Nothing is settled under a filter that is not in force ({@link FilterBooks}).
 *   <li>A task is one node's at a time ({@link TaskBooks}).
 *   <li>An operation ends, and has left nothing out ({@link OperationBooks}).
 *   <li>No row of a lane is claimed before it is due by the store's clock ({@link DueBooks}).
 *   <li>A lane that a look does not wake has read what was committed ({@link WakeBooks}).
 * </ol>
 *
 * <p>It keeps books of its own: of the store it asks only what is visible to everyone.
 */
final class Oracle {
    private final Scheduler scheduler;
    private final MemoryStore store;
    private final Plan plan;
    private final FilterBooks filters;
    private final TaskBooks tasks;
    private final OperationBooks operations;
    private final WakeBooks wakes = new WakeBooks(this);
    private final EpochBooks epochs = new EpochBooks(this);
    private final LogBooks log = new LogBooks();
    private final Map<Seen, Dispatches> dispatches = new HashMap<>();
    private final Set<EventId> lost = new LinkedHashSet<>();
    private final Set<Seen> discarded = new HashSet<>();
    private long leasesCutAt = -1;

    /** An event as a receiver sees it. */
    record Arrival(EventId id, String type, String key, int attempt, int version) {}

    private record Seen(String subscription, EventId id) {}

    Oracle(Scheduler scheduler, MemoryStore store, Plan plan, Supplier<Instant> storeNow) {
        this.scheduler = scheduler;
        this.store = store;
        this.plan = plan;
        this.filters = new FilterBooks(scheduler, this);
        this.tasks = new TaskBooks(this, storeNow);
        this.operations = new OperationBooks(scheduler, store, this);
    }

    /** Which filter is in force. */
    FilterBooks filters() {
        return filters;
    }

    /** What was committed. */
    LogBooks log() {
        return log;
    }

    /** What operators have asked for. */
    OperationBooks operations() {
        return operations;
    }

    /** Who has which task. */
    TaskBooks tasks() {
        return tasks;
    }

    /** Which lanes have read what. */
    WakeBooks wakes() {
        return wakes;
    }

    /** Whether no lane has settled anything about it yet, not even that it waits. */
    boolean isAhead(String subscription, EventId id) {
        return store.unsettled(subscription, id)
                && Stream.of(Delivery.Status.values())
                        .flatMap(status -> deliveries(subscription, status).stream())
                        .noneMatch(row -> row.id().equals(id));
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
        known.lastAttempt |= event.attempt() >= Settings.RETRY.attempts();
        return known.started;
    }

    /** An effect of this event is in the store. */
    void effect(Subscribed subscription, Arrival event) {
        Dispatches known = of(subscription, event.id());
        if (known.taken) {
            throw fail("4: %s has the effect of %s a second time", subscription.subscription(), event.id());
        }
        if (subscription.ordered()) {
            requireInOrder(subscription, event);
        }
        known.taken = true;
    }

    /** Whether it was dispatched at this time or later. */
    boolean startedSince(long nanos, Subscribed subscription, EventId id) {
        return of(subscription, id).lastStarted >= nanos;
    }

    private Dispatches of(Subscribed subscription, EventId id) {
        return dispatches.computeIfAbsent(new Seen(subscription.subscription(), id), key -> new Dispatches());
    }

    /**
     * Notes a dispatch; answers how many there were of this event, this one included.
     *
     * @param gone whether the process is gone that dispatches it
     */
    int started(Subscribed subscription, Arrival event, BooleanSupplier gone) {
        Dispatches known = of(subscription, event.id());
        if (subscription == Subscribed.QUEUE) {
            requireAlone(known, event);
        }
        known.start(scheduler.nanos(), gone);
        if (log.isVanished(event.id())) {
            return known.started;
        }
        requireCommitted(subscription, event);
        if (!store.unsettled(subscription.subscription(), event.id())
                && !filters.hasJustChanged(subscription.subscription())
                && !within(Settings.LIMITS.lease(), leasesCutAt)) {
            throw fail("3: %s dispatches %s, which has settled", subscription.subscription(), event.id());
        }
        if (subscription.ordered()) {
            requireInOrder(subscription, event);
        }
        known.lastAttempt |= event.attempt() >= Settings.RETRY.attempts();
        return known.started;
    }

    /** A task whose handler has not returned is given up after its timeout, which is shorter than its lease. */
    private void requireAlone(Dispatches known, Arrival event) {
        if (known.isUnderWay()
                && within(Settings.QUEUE.timeout(), known.lastStarted)
                && !within(Settings.QUEUE.lease(), leasesCutAt)) {
            throw fail("9: the task %s runs twice at the same time", event.id());
        }
    }

    private boolean within(Duration time, long since) {
        return since >= 0 && scheduler.nanos() - since <= time.toNanos();
    }

    /** The store's clock has jumped: until owners have learnt that they own nothing any more, two may dispatch. */
    void leasesCutShort() {
        leasesCutAt = scheduler.nanos();
    }

    private void requireCommitted(Subscribed subscription, Arrival event) {
        if (log.isUnreadable(event.id())) {
            throw fail("5: %s dispatches %s, of which no event can be made", subscription.subscription(), event.id());
        }
        if (!log.isVanished(event.id()) && !log.isCommitted(event.id())) {
            throw fail("1: %s dispatches %s, which was not committed", subscription.subscription(), event.id());
        }
    }

    private void requireInOrder(Subscribed subscription, Arrival event) {
        for (LogBooks.Committed earlier : log.ofKey(event.key())) {
            if (earlier.id().equals(event.id())) {
                return;
            }
            if (subscription.takes(earlier.type(), event.version())
                    && !earlier.expires() // by which clock its time has passed is its node's alone to know
                    && !cameToSomething(subscription, earlier.id())
                    && !isLostUnheard(subscription, earlier.id())) {
                throw fail(
                        "2: %s dispatches %s of key %s before %s has come to something",
                        subscription.subscription(), event.id(), event.key(), earlier.id());
            }
        }
    }

    /** An owner whose lanes were just taken away knows that a broker took it, not that the next owner found it lost. */
    private boolean isLostUnheard(Subscribed subscription, EventId id) {
        return wasLost(subscription, id)
                && (filters.hasJustChanged(subscription.subscription())
                        || within(Settings.LIMITS.lease(), leasesCutAt));
    }

    /** Whether a broker had taken it once, and lost it. */
    boolean wasLost(Subscribed subscription, EventId id) {
        return subscription == Subscribed.DESTINATION && lost.contains(id);
    }

    /** Taken, or dead as far as dispatches can tell, or settled one way or another. */
    private boolean cameToSomething(Subscribed subscription, EventId id) {
        Dispatches known = dispatches.get(new Seen(subscription.subscription(), id));
        if (known != null && (known.taken || known.replayed || (known.lastAttempt && !isRunning(known)))) {
            return true;
        }
        return !store.unsettled(subscription.subscription(), id)
                || isDeadOnSight(subscription, id)
                || operations.hasReplayed(subscription, id);
    }

    /** An event that cannot be read is dead as soon as its lane has read it, or claimed its row. */
    private boolean isDeadOnSight(Subscribed subscription, EventId id) {
        return log.isDamaged(id)
                && deliveries(subscription, Delivery.Status.WAITING).stream()
                        .noneMatch(row -> row.id().equals(id));
    }

    /** The engine waits for a handler no longer than this; a process that was killed has its lanes for longer. */
    private boolean isRunning(Dispatches known) {
        return known.running
                && scheduler.nanos() - known.lastStarted
                        < Settings.LIMITS.subscriptions().handlerTimeout().toNanos();
    }

    /** An operator replays a dead event: it has come to something once, and its followers need not wait again. */
    void replayed(Subscribed subscription, EventId id) {
        of(subscription, id).replayed = true;
    }

    void taken(Subscribed subscription, Arrival event) {
        Dispatches known = of(subscription, event.id());
        known.take();
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
     * hears: that one is dead, and whoever wants it replays it. An event that only some versions take may be skipped.
     */
    List<EventId> missing(Subscribed subscription) {
        if (subscription != Subscribed.DESTINATION) {
            return List.of();
        }
        Set<EventId> ended = new HashSet<>(found(subscription, Delivery.Status.DEAD));
        ended.addAll(found(subscription, Delivery.Status.EXPIRED));
        return lost.stream()
                .filter(id -> !taken(subscription, id) && !ended.contains(id) && !log.isVanished(id))
                .filter(id -> !discarded.contains(new Seen(subscription.subscription(), id)))
                .filter(id -> log.isTakenBy(subscription, id))
                .toList();
    }

    EpochBooks epochs() {
        return epochs;
    }

    // ---- at any time, and in the end --------------------------------------------------------------------------------

    void requireLedger(Subscribed subscription) {
        Ledger ledger = store.browse().ledger(subscription.subscription());
        if (ledger.appended() != log.events().size()) {
            throw fail(
                    "6: %s has %s, but %d events are committed",
                    subscription.subscription(), ledger, log.events().size());
        }
    }

    /** Nothing is pending and nothing waits, also not for what an operator has decided. */
    boolean isQuiet(Subscribed subscription) {
        return store.browse().ledger(subscription.subscription()).pending() == 0
                && missing(subscription).isEmpty()
                && Stream.of(Delivery.Status.values())
                        .filter(status -> status != Delivery.Status.DEAD && status != Delivery.Status.EXPIRED)
                        .allMatch(status -> deliveries(subscription, status).isEmpty());
    }

    void requireEnd(Subscribed subscription) {
        requireLedger(subscription);
        Ledger ledger = store.browse().ledger(subscription.subscription());
        Set<EventId> buried = found(subscription, Delivery.Status.DEAD);
        Set<EventId> expired = found(subscription, Delivery.Status.EXPIRED);
        if (expired.size() != ledger.counts().expired()) {
            throw fail(
                    "5: %s has %d expired events, but %d are found",
                    subscription.subscription(), ledger.counts().expired(), expired.size());
        }
        if (buried.size() != ledger.counts().dead()) {
            throw fail(
                    "5: %s has %d dead events, but %d are found",
                    subscription.subscription(), ledger.counts().dead(), buried.size());
        }
        requireSkipped(subscription, ledger.counts());
        long lost = log.events().stream()
                .filter(event -> subscription.takes(event.type()))
                .filter(event -> !taken(subscription, event.id())
                        && !buried.contains(event.id())
                        && !expired.contains(event.id()))
                .count();
        if (lost > ledger.counts().discarded()) {
            throw fail(
                    "1: %s neither took nor buried %d events, %d were discarded",
                    subscription.subscription(), lost, ledger.counts().discarded());
        }
    }

    /** With more than one version, each event that not all of them take was passed under one or under another. */
    private void requireSkipped(Subscribed subscription, Counts counts) {
        long others = log.events().stream()
                .filter(event -> !subscription.takes(event.type()))
                .count();
        long least = plan.has(Theme.DEPLOYMENTS)
                ? others - taken(subscription) - counts.dead() - counts.expired() - counts.discarded()
                : others;
        if (counts.skipped() < least || counts.skipped() > others) {
            throw fail(
                    "6: %s skipped %d events, not %d to %d",
                    subscription.subscription(), counts.skipped(), least, others);
        }
    }

    private long taken(Subscribed subscription) {
        return log.events().stream()
                .filter(event -> !subscription.takes(event.type()) && taken(subscription, event.id()))
                .count();
    }

    private Set<EventId> found(Subscribed subscription, Delivery.Status status) {
        return deliveries(subscription, status).stream().map(Delivery::id).collect(Collectors.toSet());
    }

    private List<Delivery> deliveries(Subscribed subscription, Delivery.Status status) {
        return deliveries(subscription.subscription(), status);
    }

    private List<Delivery> deliveries(String subscription, Delivery.Status status) {
        return store.browse().deliveries(subscription, status, new Position(0), Integer.MAX_VALUE);
    }

    boolean taken(Subscribed subscription, EventId id) {
        Dispatches known = dispatches.get(new Seen(subscription.subscription(), id));
        return known != null && known.taken;
    }

    /** Ends the run. To be thrown, so that the caller goes no further. */
    Scheduler.Gone fail(String message, Object... arguments) {
        scheduler.end(new Violation(message.formatted(arguments)));
        return new Scheduler.Gone();
    }
}
