package io.postrider.engine.queue;

import io.postrider.Environment;
import io.postrider.Lane;
import io.postrider.destination.Outcome;
import io.postrider.engine.base.Observers;
import io.postrider.engine.dispatch.FailureLog;
import io.postrider.engine.dispatch.SubscriptionSpec;
import io.postrider.engine.dispatch.Verdicts;
import io.postrider.engine.lane.LaneSettle;
import io.postrider.observe.Observation;
import io.postrider.operate.Counts;
import io.postrider.operate.Delivery;
import io.postrider.store.Claim;
import io.postrider.store.RefusedException;
import io.postrider.store.Tasks;
import io.postrider.text.Logs;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.slf4j.Logger;

/**
 * Tasks that have ended and are to be settled, all by one statement. Where the store refuses some row, by halves, down
 * to the task whose row it is: that one is written in plainer words or buried, and the others are settled. Not
 * thread-safe: the queue guards it.
 */
final class TaskSettlements {
    private static final Logger LOG = Logs.of(TaskSettlements.class);

    private final Tasks tasks;
    private final Environment environment;
    private final SubscriptionSpec spec;
    private final Observers observers;
    private final FailureLog failures;
    private final Map<Tasks.HeldTask, One> ended = new LinkedHashMap<>();

    /** A task that has ended, and what observers are told of it once it is settled. */
    private record One(Claim.ClaimedDelivery task, Verdicts verdicts) {
        Tasks.HeldTask held() {
            return RunningTask.held(task);
        }

        Tasks.Ended ended() {
            List<Delivery> left = verdicts.changed();
            return new Tasks.Ended(held(), verdicts.counts(), left.isEmpty() ? null : left.get(0));
        }

        Lane lane() {
            return task.event().lane();
        }
    }

    TaskSettlements(
            Tasks tasks, Environment environment, SubscriptionSpec spec, Observers observers, FailureLog failures) {
        this.failures = failures;
        this.tasks = tasks;
        this.environment = environment;
        this.spec = spec;
        this.observers = observers;
    }

    boolean isEmpty() {
        return ended.isEmpty();
    }

    void add(Claim.ClaimedDelivery task, Outcome outcome) {
        Verdicts verdicts = new Verdicts(spec, environment);
        verdicts.finished(
                Verdicts.judged(task.delivery(), outcome), task.event().headers(), outcome);
        add(new One(task, verdicts));
    }

    /** A task goes back as it was, a suspect as a suspect: its handler has not begun. */
    void putBack(Claim.ClaimedDelivery task) {
        Verdicts verdicts = new Verdicts(spec, environment);
        verdicts.putBack(task.delivery());
        add(new One(task, verdicts));
    }

    private void add(One one) {
        ended.put(one.held(), one);
    }

    /**
     * Settles all of them, and tells of each one that is over: settled, another node's by now, or refused by the store.
     * After a failure the others are still to be settled.
     */
    void settle(Consumer<Tasks.HeldTask> over) {
        settle(List.copyOf(ended.values()), over);
    }

    private void settle(List<One> some, Consumer<Tasks.HeldTask> over) {
        try {
            Set<Tasks.HeldTask> settled =
                    tasks.settle(spec.name(), some.stream().map(One::ended).toList());
            some.stream().filter(one -> settled.contains(one.held())).forEach(this::tell);
            tellLost(some.size() - settled.size());
            some.forEach(one -> end(one, over));
        } catch (RefusedException e) {
            if (some.size() == 1) {
                settlePlainer(some.get(0), e);
                end(some.get(0), over);
                return;
            }
            settle(some.subList(0, some.size() / 2), over);
            settle(some.subList(some.size() / 2, some.size()), over);
        }
    }

    private void end(One one, Consumer<Tasks.HeldTask> over) {
        ended.remove(one.held());
        over.accept(one.held());
    }

    private void tellLost(int lost) {
        if (lost > 0) {
            LOG.warn(
                    "{} tasks of '{}' could not be settled: another node has claimed them meanwhile and runs them"
                            + " again, or the subscription was removed",
                    lost,
                    spec.name());
        }
    }

    private void settlePlainer(One one, RefusedException refused) {
        LOG.error(
                "The store refuses the row of a task of '{}', event {} at {}; the row is written without what it may"
                        + " refuse, or the task is dead",
                spec.name(),
                one.task().event().id(),
                one.task().event().position(),
                refused);
        for (Verdicts plainer : one.verdicts().plainer(LaneSettle.reason(refused))) {
            One other = new One(one.task(), plainer);
            try {
                boolean settled =
                        !tasks.settle(spec.name(), List.of(other.ended())).isEmpty();
                if (settled) {
                    tell(other);
                }
                tellLost(settled ? 0 : 1);
                return;
            } catch (RefusedException e) {
                LOG.debug(
                        "The store refuses the plainer row of event {}",
                        one.task().event().id(),
                        e);
            }
        }
        LOG.error(
                "The store refuses every row for event {} of '{}': the task is left to its lease, each further claim"
                        + " counts an attempt, and the last one buries it",
                one.task().event().id(),
                spec.name());
    }

    private void tell(One one) {
        failures.settled(one.verdicts());
        observers.observe(one.verdicts().told(one.lane()));
    }

    /** Tells what has expired before it was claimed, of a log with so many lanes. */
    void tellExpired(Tasks.Prepared prepared, int lanes) {
        failures.expired(prepared.expired());
        Counts change = new Counts(0, 0, -1, 0, 1, 0);
        for (Delivery row : prepared.expired()) {
            Lane lane = Lane.of(row.key(), row.id(), lanes);
            observers.observe(new Observation.Settled(spec.name(), lane, change, List.of(row), Map.of()));
        }
    }
}
