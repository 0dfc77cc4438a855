package io.postrider.memory;

import io.postrider.EventId;
import io.postrider.Position;
import io.postrider.memory.LaneRow.DeliveryRow;
import io.postrider.operate.Audit.Action;
import io.postrider.operate.By;
import io.postrider.operate.Counts;
import io.postrider.operate.Delivery;
import io.postrider.operate.Operate;
import io.postrider.operate.Operation.Standing;
import io.postrider.operate.Removal;
import io.postrider.operate.Removed;
import io.postrider.operate.Story;
import io.postrider.store.Append;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/** Operate: the rows, the tally and the audit change here, the lanes' owners learn of it. */
final class MemoryOperate implements Operate {
    private final MemoryState state;
    private final MemoryRemove removals;
    private final MemoryAppend append;
    private final MemoryAudit audit;
    private final MemoryDeadEvents deadEvents;

    MemoryOperate(MemoryState state, MemoryAppend append, MemoryAudit audit, MemoryRemove removals) {
        this.removals = removals;
        this.state = state;
        this.append = append;
        this.audit = audit;
        this.deadEvents = new MemoryDeadEvents(state);
    }

    // ---- one event --------------------------------------------------------------------------------------------------

    @Override
    public Answer replay(String subscription, Position position, By by) {
        synchronized (state) {
            Answer found = decide(subscription, position, (lane, row) -> {
                replay(state, lane, row, by, mark -> mark.replayedBy(null, false));
                audit.note(by, Action.REPLAY, subscription, row.delivery(), Map.of());
            });
            if (found != Answer.NO_EVENT) {
                return found;
            }
            Answer apart = noted(deadEvents.replay(subscription, position, by), subscription, Action.REPLAY, by);
            return apart == Answer.DONE ? apart : replaySettled(subscription, position, Standing.SKIPPED, by);
        }
    }

    @Override
    public Answer replay(String subscription, EventId event, By by) {
        return at(subscription, event, position -> replay(subscription, position, by));
    }

    @Override
    public Answer replayDelivered(String subscription, Position position, By by) {
        synchronized (state) {
            for (LaneRow lane : state.lanesOfSubscription(subscription)) {
                DeliveryRow row = lane.deliveries.get(position.value());
                if (row != null) {
                    return row.delivery().waits() ? Answer.NOT_DEAD : Answer.NOT_DELIVERED;
                }
            }
            boolean apart = deadEvents
                    .pending(subscription)
                    .anyMatch(dead -> dead.position().equals(position));
            return apart ? Answer.NOT_DELIVERED : replaySettled(subscription, position, Standing.DELIVERED, by);
        }
    }

    @Override
    public Answer replayDelivered(String subscription, EventId event, By by) {
        return at(subscription, event, position -> replayDelivered(subscription, position, by));
    }

    private Answer at(String subscription, EventId event, Function<Position, Answer> decision) {
        synchronized (state) {
            Answer unknown = state.subscriptions.containsKey(subscription) ? Answer.NO_EVENT : Answer.NO_SUBSCRIPTION;
            return new MemoryStory(state)
                    .find(event)
                    .map(found -> decision.apply(found.position()))
                    .orElse(unknown);
        }
    }

    private Answer replaySettled(String subscription, Position position, Standing standing, By by) {
        Answer answer = new MemorySettled(state).replay(subscription, position.value(), standing, by.who());
        if (answer == Answer.DONE) {
            Delivery row = state.lanesOfSubscription(subscription).stream()
                    .flatMap(lane -> Stream.ofNullable(lane.deliveries.get(position.value())))
                    .map(DeliveryRow::delivery)
                    .findFirst()
                    .orElseThrow();
            Map<String, String> was = Map.of("was", standing.name().toLowerCase(Locale.ROOT));
            audit.note(by, Action.REPLAY, subscription, row, was);
        }
        return answer;
    }

    @Override
    public Answer discard(String subscription, Position position, By by) {
        synchronized (state) {
            Answer found = decide(subscription, position, (lane, row) -> {
                discard(state, lane, row, by);
                audit.note(by, Action.DISCARD, subscription, row.delivery(), Map.of());
            });
            return found != Answer.NO_EVENT
                    ? found
                    : noted(deadEvents.discard(subscription, position, by), subscription, Action.DISCARD, by);
        }
    }

    /** One that was kept apart. */
    private Answer noted(Optional<Delivery> decided, String subscription, Action action, By by) {
        decided.ifPresent(row -> audit.note(by, action, subscription, row, Map.of()));
        return decided.isPresent() ? Answer.DONE : Answer.NO_EVENT;
    }

    @Override
    public Answer edit(String subscription, Position position, Edit edit, By by) {
        synchronized (state) {
            deadEvents.restore(subscription, dead -> dead.event().position().equals(position));
            return decide(subscription, position, (lane, row) -> {
                if (isTaken(edit.id(), subscription)) {
                    throw edit.taken();
                }
                Append.Entry copy = Append.Entry.of(edit, row.event(), subscription);
                try (MemoryTransaction transaction = new MemoryTransaction(state)) {
                    append.append(transaction, List.of(copy));
                    transaction.commit();
                }
                discard(state, lane, row, by);
                audit.note(by, Action.EDIT, subscription, row.delivery(), edit.details());
            });
        }
    }

    private boolean isTaken(EventId id, String subscription) {
        return new MemoryStory(state).find(id).isPresent()
                || state.processed.has(new MemoryProcessed.Key(id, subscription))
                || audit.hasCopy(id);
    }

    /** What is done to a row. */
    private interface Decision {
        void about(LaneRow lane, DeliveryRow row);
    }

    private Answer decide(String subscription, Position position, Decision decision) {
        if (!state.subscriptions.containsKey(subscription)) {
            return Answer.NO_SUBSCRIPTION;
        }
        for (LaneRow lane : state.lanesOfSubscription(subscription)) {
            DeliveryRow row = lane.deliveries.get(position.value());
            if (row != null && row.delivery().waits()) {
                return Answer.NOT_DEAD;
            } else if (row != null) {
                decision.about(lane, row);
                lane.requests++;
                return Answer.DONE;
            }
        }
        return Answer.NO_EVENT;
    }

    static void replay(MemoryState state, LaneRow lane, DeliveryRow row, By by, UnaryOperator<Mark> mark) {
        lane.replace(new DeliveryRow(row.delivery().replayed(state.now()), row.event()));
        lane.mark(row.delivery().position(), mark);
        tally(state, lane, row, Counts.replayed(hasExpired(row)), Story.Ending.REPLAYED, by);
    }

    static void discard(MemoryState state, LaneRow lane, DeliveryRow row, By by) {
        lane.remove(row.delivery().position());
        tally(state, lane, row, Counts.discarded(hasExpired(row)), Story.Ending.DISCARDED, by);
    }

    private static boolean hasExpired(DeliveryRow row) {
        return row.delivery().status() == Delivery.Status.EXPIRED;
    }

    private static void tally(
            MemoryState state, LaneRow lane, DeliveryRow decided, Counts counts, Story.Ending decision, By by) {
        SubscriptionRow row = state.subscriptions.get(lane.subscription);
        if (row != null) {
            row.tally = row.tally.plus(counts);
            row.tried(
                    decided.delivery().position().value(), new Story.Attempt(0, decision, null, by.who(), state.now()));
        }
    }

    // ---- a key ------------------------------------------------------------------------------------------------------

    @Override
    public Answer releaseKey(String subscription, String key, By by) {
        synchronized (state) {
            return decide(subscription, key, (lane, row) -> {
                Mark mark = lane.mark(row.delivery().position());
                if (hasExpired(row) || mark.released()) {
                    return false;
                }
                lane.mark(row.delivery().position(), Mark::release);
                audit.note(by, Action.RELEASE_KEY, subscription, row.delivery(), Map.of("key", key));
                return true;
            });
        }
    }

    @Override
    public Answer skipKey(String subscription, String key, By by) {
        synchronized (state) {
            deadEvents.restore(subscription, dead -> key.equals(dead.event().key()));
            return decide(subscription, key, (lane, row) -> {
                discard(state, lane, row, by);
                audit.note(by, Action.SKIP_KEY, subscription, row.delivery(), Map.of("key", key));
                return true;
            });
        }
    }

    /** What is done to a row of a key, if anything. */
    private interface KeyDecision {
        boolean about(LaneRow lane, DeliveryRow row);
    }

    private Answer decide(String subscription, String key, KeyDecision decision) {
        if (!state.subscriptions.containsKey(subscription)) {
            return Answer.NO_SUBSCRIPTION;
        }
        Predicate<DeliveryRow> isMeant =
                row -> key.equals(row.delivery().key()) && !row.delivery().waits();
        Answer answer = Answer.NOTHING;
        for (LaneRow lane : state.lanesOfSubscription(subscription)) {
            List<DeliveryRow> rows =
                    lane.deliveries.values().stream().filter(isMeant).toList();
            if (rows.stream().filter(row -> decision.about(lane, row)).count() > 0) {
                lane.requests++;
                answer = Answer.DONE;
            }
        }
        return answer;
    }

    // ---- subscriptions and nodes ------------------------------------------------------------------------------------

    @Override
    public Removed remove(String subscription, By by, Removal removal) {
        return removals.remove(subscription, by, removal);
    }

    @Override
    public Answer pause(String subscription, By by) {
        return pause(subscription, true, by);
    }

    @Override
    public Answer resume(String subscription, By by) {
        return pause(subscription, false, by);
    }

    private Answer pause(String subscription, boolean pause, By by) {
        synchronized (state) {
            SubscriptionRow row = state.subscriptions.get(subscription);
            if (row == null) {
                return Answer.NO_SUBSCRIPTION;
            } else if (row.paused == pause) {
                return Answer.NOTHING;
            }
            row.paused = pause;
            audit.note(by, pause ? Action.PAUSE : Action.RESUME, subscription, Map.of());
            return Answer.DONE;
        }
    }

    @Override
    public Answer drain(String node, By by) {
        return drain(node, true, by);
    }

    @Override
    public Answer undrain(String node, By by) {
        return drain(node, false, by);
    }

    private Answer drain(String node, boolean drain, By by) {
        synchronized (state) {
            if (!state.nodes.containsKey(node)) {
                return Answer.NO_NODE;
            } else if (drain ? !state.draining.add(node) : !state.draining.remove(node)) {
                return Answer.NOTHING;
            }
            audit.note(by, drain ? Action.DRAIN : Action.UNDRAIN, null, Map.of("node", node));
            return Answer.DONE;
        }
    }

    @Override
    public Set<String> paused() {
        synchronized (state) {
            Set<String> paused = new TreeSet<>();
            state.subscriptions.forEach((name, row) -> {
                if (row.paused) {
                    paused.add(name);
                }
            });
            return paused;
        }
    }

    @Override
    public List<Member> nodes() {
        synchronized (state) {
            return new TreeMap<>(state.nodes)
                    .entrySet().stream()
                            .map(node -> new Member(
                                    node.getKey(),
                                    state.isLive(node.getKey()),
                                    node.getValue().subscriptions(),
                                    state.draining.contains(node.getKey())))
                            .toList();
        }
    }
}
