package io.postrider.engine;

import io.postrider.Counts;
import io.postrider.Lane;
import io.postrider.Observation;
import io.postrider.Outcome;
import io.postrider.spi.Claim;
import io.postrider.spi.Delivery;
import io.postrider.spi.Environment;
import io.postrider.spi.RefusedException;
import io.postrider.spi.Tasks;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tasks that have ended and are to be settled, all by one statement. Where the store refuses some row, by halves, down
 * to the task whose row it is: that one is written in plainer words or buried, and the others are settled. Not
 * thread-safe: the queue guards it.
 */
final class TaskSettlements {
    private static final Logger LOG = LoggerFactory.getLogger(TaskSettlements.class);

    private final Tasks tasks;
    private final Environment environment;
    private final SubscriptionSpec spec;
    private final Observers observers;
    private final FailureLog failures;
    private final List<One> ended = new ArrayList<>();

    /** A task that has ended, and what observers are told of it once it is settled. */
    private record One(Claim.ClaimedDelivery task, Verdicts verdicts) {
        Tasks.Held held() {
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
        verdicts.finished(task.delivery().cleared(), task.event().headers(), outcome);
        ended.add(new One(task, verdicts));
    }

    /** Settles all of them. After a failure they are still to be settled. */
    void settle() {
        List<One> all = List.copyOf(ended);
        Set<Tasks.Held> settled = settle(all);
        int lost = all.size() - settled.size();
        if (lost > 0) {
            LOG.warn("{} tasks of '{}' were another node's before they settled: they run twice", lost, spec.name());
        }
        ended.clear();
    }

    private Set<Tasks.Held> settle(List<One> some) {
        try {
            Set<Tasks.Held> settled =
                    tasks.settle(spec.name(), some.stream().map(One::ended).toList());
            some.stream().filter(one -> settled.contains(one.held())).forEach(this::tell);
            return settled;
        } catch (RefusedException e) {
            if (some.size() == 1) {
                return settlePlainer(some.get(0), e);
            }
            Set<Tasks.Held> settled = new HashSet<>(settle(some.subList(0, some.size() / 2)));
            settled.addAll(settle(some.subList(some.size() / 2, some.size())));
            return settled;
        }
    }

    /** One that is refused in any words is left to its lease: each claim counts an attempt, and the last buries it. */
    private Set<Tasks.Held> settlePlainer(One one, RefusedException refused) {
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
                Set<Tasks.Held> settled = tasks.settle(spec.name(), List.of(other.ended()));
                if (!settled.isEmpty()) {
                    tell(other);
                }
                return settled;
            } catch (RefusedException e) {
                LOG.debug("Refused again", e);
            }
        }
        return Set.of();
    }

    private void tell(One one) {
        failures.settled(one.verdicts());
        observers.observe(one.verdicts().told(one.lane()));
    }

    /** Tells what has expired before it was claimed. */
    void tellExpired(Tasks.Swept swept) {
        Counts change = new Counts(0, 0, -1, 0, 1, 0);
        for (Delivery row : swept.expired()) {
            Lane lane = Lane.of(row.key(), row.id());
            observers.observe(new Observation.Settled(spec.name(), lane, change, List.of(row), Map.of()));
        }
    }
}
