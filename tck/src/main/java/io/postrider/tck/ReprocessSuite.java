package io.postrider.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.EventFilter;
import io.postrider.Position;
import io.postrider.Postrider;
import io.postrider.operate.Counts;
import io.postrider.operate.DeadEvent;
import io.postrider.operate.Delivery;
import io.postrider.operate.Operation;
import io.postrider.operate.Operation.Pace;
import io.postrider.operate.Operation.Target;
import io.postrider.policy.DeadLetters;
import io.postrider.policy.NodeLimits;
import io.postrider.policy.Reprocess;
import io.postrider.policy.Retention;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The reprocessor: dead events are replayed by schedule, once for all nodes, and not for ever. */
public abstract class ReprocessSuite<T> extends EngineCase<T> {
    private static final Duration OFTEN = Duration.ofMillis(1);

    @Test
    void a_dead_event_is_replayed_by_schedule_until_it_is_delivered() {
        Postrider<T> node = node(scheduling());
        Letters letters = new Letters().fail("a1", 2);
        letters(node, letters)
                .retry(QUICK.attempts(1))
                .reprocess(Reprocess.every(OFTEN).atMost(5))
                .start();
        send(node, "ann", "a1");
        assertAllDelivered(1);
        assertThat(letters.attempts("a1")).containsExactly(1, 1, 1);
        assertThat(operations()).hasSize(2).allMatch(one -> one.by().who().equals("reprocessor"));
    }

    @Test
    void an_event_is_replayed_so_often_and_then_it_stays_dead() {
        Postrider<T> node = node(scheduling());
        Letters letters = new Letters().failAlways("a1").failAlways("b1");
        letters(node, letters)
                .retry(QUICK.attempts(1))
                .reprocess(Reprocess.every(OFTEN).atMost(2).of(EventFilter.ALL.key("ann")))
                .start();
        send(node, "ann", "a1");
        send(node, "ben", "b1");
        eventually().holds(() -> assertThat(letters.attempts("a1")).hasSize(3));
        assertLedger(new Counts(0, 0, 0, 2, 0, 0), 0);
        assertThat(reprocess(Target.dead(SUBSCRIPTION)
                        .filter(EventFilter.ALL.key("ann"))
                        .reprocessedBelow(2)))
                .isEmpty();
        assertThat(letters.attempts("b1")).hasSize(1);
        assertThat(rows(Delivery.Status.DEAD)).hasSize(2);
    }

    @Test
    void dead_events_that_are_kept_apart_are_replayed_by_schedule_too_and_as_seldom() {
        Postrider<T> node = node(scheduling());
        Letters letters = new Letters().failAlways("a1");
        letters(node, letters)
                .retry(QUICK.attempts(1))
                .retention(Retention.DEFAULT.deadLetters(DeadLetters.MOVED))
                .reprocess(Reprocess.every(OFTEN).atMost(2))
                .start();
        send(node, "ann", "a1");
        eventually().holds(() -> assertThat(letters.attempts("a1")).hasSize(3));
        eventually()
                .holds(() -> assertThat(
                                store.deadEvents().list(SUBSCRIPTION, DeadEvent.Status.PENDING, Position.ZERO, 10))
                        .hasSize(1));
        assertLedger(new Counts(0, 0, 0, 1, 0, 0), 0);
        assertThat(reprocess(Target.dead(SUBSCRIPTION).reprocessedBelow(2))).isEmpty();
        assertThat(letters.attempts("a1")).hasSize(3);
    }

    @Test
    void it_is_due_once_in_a_period_for_all_nodes_together() {
        committed("ann", "a1");
        LaneReader reader = reader("ann");
        assertThat(reader.bury(List.of(dead(reader.drain(1).get(0))))).isTrue();
        Target target = Target.dead(SUBSCRIPTION).reprocessedBelow(3);
        assertThat(reprocess(target)).as("the first is due a period later").isEmpty();
        Operation started = eventually().gives(() -> {
            Optional<Operation> due = reprocess(target);
            assertThat(due).isPresent();
            return due.orElseThrow();
        });
        assertThat(started.progress().total()).isEqualTo(1);
        assertThat(started.target()).isEqualTo(target);
        assertThat(fixture.another().chunks().reprocess(target, Pace.UNLIMITED, LONG_LEASE, BY))
                .as("another node within the period")
                .isEmpty();
        assertThat(operations()).as("none beside one that goes on").hasSize(1);
        assertThat(store.chunks().reprocess(Target.dead("unknown"), Pace.UNLIMITED, OFTEN, BY))
                .isEmpty();
    }

    /** Looks often whether something is due. */
    private static NodeLimits.Builder scheduling() {
        return attentive().pruneEvery(Duration.ofMillis(20));
    }

    private Optional<Operation> reprocess(Target target) {
        return store.chunks().reprocess(target, Pace.UNLIMITED, OFTEN, BY);
    }

    private List<Operation> operations() {
        return store.operations().list(SUBSCRIPTION, Long.MAX_VALUE, 100);
    }
}
