package io.postrider.simulation;

import io.postrider.EventId;
import io.postrider.memory.MemoryStore;
import io.postrider.operate.Operation;
import io.postrider.operate.Story;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** The oracle's books of operations: each ends, and one that has finished has left out nothing that it was about. */
final class OperationBooks {
    /** The words of an event that is dead because no row of it can be written. */
    private static final String REFUSED = "the store refuses its row";

    private final Scheduler scheduler;
    private final MemoryStore store;
    private final Oracle oracle;
    private final List<Started> started = new ArrayList<>();

    /** An operation, when it began, and what had been delivered by then, if it is about that. */
    private record Started(long id, Subscribed subscription, long at, List<EventId> delivered) {}

    OperationBooks(Scheduler scheduler, MemoryStore store, Oracle oracle) {
        this.scheduler = scheduler;
        this.store = store;
        this.oracle = oracle;
    }

    void started(long id, Subscribed subscription, Operation.Standing about) {
        List<EventId> delivered = about != Operation.Standing.DELIVERED
                ? List.of()
                : oracle.log().events().stream()
                        .map(LogBooks.Committed::id)
                        .filter(event -> isDelivered(subscription, event))
                        .toList();
        started.add(new Started(id, subscription, scheduler.nanos(), delivered));
    }

    /** By its last attempt, where it had a delivery row. */
    private boolean isDelivered(Subscribed subscription, EventId event) {
        return oracle.log().isTakenBy(subscription, event)
                && oracle.taken(subscription, event)
                && !store.unsettled(subscription.subscription(), event)
                && endings(subscription, event).stream()
                        .reduce((first, second) -> second)
                        .map(last -> last == Story.Ending.DELIVERED)
                        .orElse(true);
    }

    /** Whether an operator has put it back at some time. */
    boolean hasReplayed(Subscribed subscription, EventId id) {
        return !started.isEmpty() && endings(subscription, id).contains(Story.Ending.REPLAYED);
    }

    private List<Story.Ending> endings(Subscribed subscription, EventId id) {
        return attempts(subscription, id).map(Story.Attempt::ending).toList();
    }

    private Stream<Story.Attempt> attempts(Subscribed subscription, EventId id) {
        return store.search().story(id).stream()
                .flatMap(story -> story.standings().stream())
                .filter(standing -> standing.subscription().equals(subscription.subscription()))
                .flatMap(standing -> standing.attempts().stream());
    }

    boolean allEnded() {
        return started.stream()
                .allMatch(one ->
                        found(one).map(operation -> operation.state().ended()).orElse(true));
    }

    void requireEnd() {
        for (Started one : started) {
            boolean finished = found(one)
                    .filter(operation -> operation.state() == Operation.State.FINISHED)
                    .isPresent();
            for (EventId event : finished ? one.delivered() : List.<EventId>of()) {
                if (!oracle.log().isVanished(event)
                        && !oracle.log().isDamaged(event)
                        && !diedOfRefusal(one, event)
                        && !oracle.startedSince(one.at(), one.subscription(), event)) {
                    throw oracle.fail(
                            "10: operation %d has finished, and %s of %s was not dispatched again",
                            one.id(), event, one.subscription().subscription());
                }
            }
        }
    }

    /**
     * The one way in which an event that was delivered ends without another dispatch: the store refuses the row with
     * which it would wait. Either it was put back and claimed, and its node ended before the dispatch; or its broker
     * had lost it before the operation came to it. The plan has to say that it is refused, the story that it was put
     * back or the books that it was lost, and the story what it died of; somebody may have discarded it since.
     */
    private boolean diedOfRefusal(Started one, EventId event) {
        Instant began = SimulatedEnvironment.EPOCH.plusNanos(one.at());
        List<Story.Attempt> since = attempts(one.subscription(), event)
                .filter(each -> !each.at().isBefore(began))
                .toList();
        return oracle.log().isUnparkable(event)
                && (oracle.wasLost(one.subscription(), event)
                        || since.stream().anyMatch(each -> each.ending() == Story.Ending.REPLAYED))
                && since.stream().anyMatch(OperationBooks::isBurialOfRefused);
    }

    private static boolean isBurialOfRefused(Story.Attempt attempt) {
        String error = attempt.error();
        return attempt.ending() == Story.Ending.DEAD && error != null && error.startsWith(REFUSED);
    }

    private Optional<Operation> found(Started one) {
        return store.operations().find(one.id());
    }
}
