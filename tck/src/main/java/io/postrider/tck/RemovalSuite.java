package io.postrider.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.postrider.Event;
import io.postrider.EventId;
import io.postrider.Postrider;
import io.postrider.SubscriptionBuilder;
import io.postrider.operate.Audit;
import io.postrider.operate.By;
import io.postrider.operate.Delivery;
import io.postrider.operate.Operation;
import io.postrider.operate.Removal;
import io.postrider.operate.Removed;
import io.postrider.policy.DeadLetters;
import io.postrider.policy.Queue;
import io.postrider.policy.Retention;
import io.postrider.policy.Start;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Removal: a decision of an operator's, on record, that drops nothing unless it is told to. */
public abstract class RemovalSuite<T> extends EngineCase<T> {
    private static final By ANN = new By("ann", "the service is gone");

    @Test
    void one_with_nothing_left_is_removed_and_on_record() {
        Postrider<T> node = node();
        Letters letters = new Letters();
        letters(node, letters).start();
        send(node, "ann", "a");
        assertAllDelivered(1);
        assertThat(node.operator().remove(SUBSCRIPTION, ANN)).isEqualTo(new Removed(true, true, 0, 0, 0, 0));
        assertThat(store.browse().subscriptions()).isEmpty();
        Audit.Entry entry = removals().get(0);
        assertThat(entry.by()).isEqualTo(ANN);
        assertThat(entry.subscription()).isEqualTo(SUBSCRIPTION);
    }

    @Test
    void one_with_dead_and_waiting_events_stays_unless_they_may_be_dropped_and_the_record_counts_them() {
        Postrider<T> node = node();
        letters(node, new Letters().failAlways("bad").failAlways("waits"))
                .retry("letter.dead", QUICK.attempts(1))
                .retry(QUICK.pauses(Duration.ofHours(1), Duration.ofHours(1)))
                .start();
        send(
                node,
                List.of(letter("ben", "waits"), Event.of("letter.dead", "bad").key("ann")));
        awaitDead();
        eventually().holds(() -> assertThat(rows(Delivery.Status.WAITING)).hasSize(1));
        assertThatIllegalStateException()
                .isThrownBy(() -> node.operator().remove(SUBSCRIPTION, ANN))
                .withMessageContaining("1 dead, 0 expired and 1 waiting events")
                .withMessageContaining("Removal.DROPPING");
        assertThat(store.browse().subscriptions()).containsExactly(SUBSCRIPTION);
        assertThat(removals()).isEmpty();
        assertThat(rows(Delivery.Status.DEAD)).hasSize(1);
        Removed removed = node.operator().remove(SUBSCRIPTION, ANN, Removal.DROPPING);
        assertThat(removed).isEqualTo(new Removed(true, true, 1, 0, 1, 0));
        assertThat(removals().get(0).details())
                .isEqualTo(Map.of("dead", "1", "expired", "0", "waiting", "1", "pending", "0"));
    }

    @Test
    void operations_of_a_subscription_end_with_it_and_do_nothing_to_the_next_of_its_name() {
        Postrider<T> node = node();
        Letters first = new Letters();
        letters(node, first).start();
        send(node, "ann", numbered("n", 20));
        assertAllDelivered(20);
        Operation started = store.operations()
                .start(
                        Operation.Kind.REPLAY,
                        Operation.Target.delivered(SUBSCRIPTION),
                        Operation.Pace.UNLIMITED.perSecond(1),
                        ANN)
                .orElseThrow();
        node.operator().remove(SUBSCRIPTION, ANN, Removal.DROPPING);
        assertThat(store.operations().find(started.id())).hasValueSatisfying(ended -> {
            assertThat(ended.state()).isEqualTo(Operation.State.FAILED);
            assertThat(ended.reasons()).contains("its subscription was removed");
        });
        Letters anew = new Letters();
        letters(node, anew).from(Start.end()).start();
        send(node, "ann", "later");
        assertDelivered(anew, "later");
        assertThat(anew.delivered()).containsExactly("later");
    }

    /** A removal in the middle of the work of other nodes waits for it, and neither fails nor makes it fail. */
    @Test
    void one_is_removed_while_other_nodes_settle_its_events() {
        for (boolean queue : new boolean[] {false, true}) {
            String name = queue ? "queue" : "lanes";
            Postrider<T> working = node(quick());
            Letters letters = new Letters();
            SubscriptionBuilder<T> builder = working.subscribe(name)
                    .on("letter.*", String.class, letters)
                    .retry(QUICK);
            (queue ? builder.queue(Queue.DEFAULT) : builder).start();
            for (int i = 0; i < 200; i++) {
                send(working, "key-" + i % 20, "n" + i);
            }
            eventually().holds(() -> assertThat(letters.delivered()).hasSizeGreaterThan(20));
            assertThat(store.operate().remove(name, ANN, Removal.DROPPING).done())
                    .isTrue();
            assertThat(store.browse().subscriptions()).doesNotContain(name);
            working.close();
        }
    }

    @Test
    void dead_events_that_are_kept_apart_count() {
        Postrider<T> node = node();
        letters(node, new Letters().failAlways("bad"))
                .retry(QUICK.attempts(1))
                .retention(Retention.DEFAULT.deadLetters(DeadLetters.MOVED))
                .start();
        send(node, "ann", "bad");
        eventually()
                .holds(() -> assertThat(
                                store.browse().ledger(SUBSCRIPTION).counts().dead())
                        .isEqualTo(1));
        assertThat(store.operate().remove(SUBSCRIPTION, ANN, Removal.UNLESS_ANY_LEFT))
                .isEqualTo(new Removed(true, false, 1, 0, 0, 0));
    }

    @Test
    void one_that_was_removed_can_be_started_again_on_the_same_node() {
        Postrider<T> node = node();
        letters(node, new Letters()).start();
        send(node, "ann", "a");
        assertAllDelivered(1);
        node.operator().remove(SUBSCRIPTION, ANN);
        Letters again = new Letters();
        letters(node, again).start();
        send(node, "ann", "b");
        assertDelivered(again, "a", "b");
    }

    @Test
    void one_that_another_node_removed_can_be_started_again_here() {
        Postrider<T> node = node(attentive());
        letters(node, new Letters()).start();
        send(node, "ann", "a");
        assertAllDelivered(1);
        node().operator().remove(SUBSCRIPTION, ANN);
        Letters again = new Letters();
        eventually()
                .holds(() -> assertThatCode(() -> letters(node, again).start()).doesNotThrowAnyException());
        assertDelivered(again, "a");
    }

    @Test
    void a_name_that_no_subscription_has_leaves_the_records_of_a_consumer_of_that_name_alone() {
        EventId event = drawId();
        assertThat(first(event)).isTrue();
        assertThat(store.operate().remove(SUBSCRIPTION, ANN, Removal.DROPPING)).isEqualTo(Removed.NONE);
        assertThat(first(event)).isFalse();
    }

    @Test
    void a_removal_forgets_what_was_processed_and_its_repetition_nothing_that_was_processed_since() {
        EventId event = drawId();
        store.subscriptions().register(SUBSCRIPTION, Start.beginning(), "*");
        assertThat(first(event)).isTrue();
        store.operate().remove(SUBSCRIPTION, ANN, Removal.DROPPING);
        assertThat(first(event)).as("after the removal").isTrue();
        assertThat(store.operate().remove(SUBSCRIPTION, ANN, Removal.DROPPING)).isEqualTo(Removed.NONE);
        assertThat(first(event)).as("after the repetition").isFalse();
    }

    private boolean first(EventId event) {
        T transaction = fixture.begin();
        boolean first = store.processed().first(transaction, event, SUBSCRIPTION);
        fixture.commit(transaction);
        return first;
    }

    private List<Audit.Entry> removals() {
        return store.audit().entries(Audit.Query.ALL.action(Audit.Action.REMOVE), Long.MAX_VALUE, 10);
    }
}
