package io.postrider.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.Event;
import io.postrider.EventFilter;
import io.postrider.Postrider;
import io.postrider.operate.Counts;
import io.postrider.operate.Operation;
import io.postrider.operate.Operation.Kind;
import io.postrider.operate.Operation.Pace;
import io.postrider.operate.Operation.State;
import io.postrider.operate.Operation.Target;
import io.postrider.operate.Story;
import io.postrider.operate.Why;
import io.postrider.policy.Queue;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Settled events that nodes dispatch again because an operator wants it: delivered ones, and skipped ones. */
public abstract class RedeliverySuite<T> extends EngineCase<T> {
    private static final int MANY = 24;
    private static final Target DELIVERED = Target.delivered(SUBSCRIPTION);

    private final Letters letters = new Letters();

    @Test
    void delivered_events_come_again_in_the_order_of_their_keys() {
        Postrider<T> node = node(attentive());
        letters(node, letters).start();
        List<Event> events = new ArrayList<>();
        IntStream.range(0, MANY).forEach(n -> events.add(letter("key-" + n % 3, "n" + n)));
        send(node, events);
        assertAllDelivered(MANY);
        Operation started = start(DELIVERED, Pace.UNLIMITED.canary(3, 0));
        assertThat(started.progress().total()).isEqualTo(MANY);
        assertEnds(started);
        assertAllDelivered(MANY);
        for (int key = 0; key < 3; key++) {
            int of = key;
            List<String> once = IntStream.range(0, MANY)
                    .filter(n -> n % 3 == of)
                    .mapToObj(n -> "n" + n)
                    .toList();
            List<String> twice = new ArrayList<>(once);
            twice.addAll(once);
            assertThat(letters.delivered("key-" + key)).isEqualTo(twice);
        }
        assertThat(letters.overlapped()).isFalse();
    }

    @Test
    void a_replay_of_many_leaves_its_lane_room_for_new_events() {
        String beside = keysBeside("ann", 2).get(1);
        Postrider<T> node = node(attentive().subscriptions(s -> s.parkedMax(8)));
        letters(node, letters).start();
        send(node, "ann", numbered("n", MANY));
        assertAllDelivered(MANY);
        Gate gate = gate();
        letters.hold("n1", gate);
        Operation started = start(DELIVERED, Pace.UNLIMITED);
        eventually().holds(() -> assertThat(find(started).progress().waiting()).isEqualTo(4));
        send(node, beside, "new");
        assertDelivered(letters, "new");
        assertThat(find(started).progress().done()).isEqualTo(4);
        gate.open();
        assertEnds(started);
        assertAllDelivered(MANY + 1);
    }

    @Test
    void a_handler_in_a_transaction_has_its_effect_again() {
        Postrider<T> node = node(attentive());
        node.subscribe(SUBSCRIPTION)
                .onTransaction(TYPE, String.class, (transaction, text, context) -> fixture.effect(transaction, text))
                .start();
        send(node, "ann", "a", "b");
        assertAllDelivered(2);
        assertThat(fixture.effects()).containsExactlyInAnyOrder("a", "b");
        assertEnds(start(DELIVERED, Pace.UNLIMITED));
        assertAllDelivered(2);
        assertThat(fixture.effects()).containsExactlyInAnyOrder("a", "a", "b", "b");
    }

    @Test
    void the_tasks_of_a_queue_run_again() {
        Postrider<T> node = node(attentive());
        letters(node, letters).queue(Queue.DEFAULT).start();
        send(node, "ann", "a", "b");
        assertAllDelivered(2);
        assertEnds(start(DELIVERED, Pace.UNLIMITED));
        eventually().holds(() -> assertThat(letters.delivered()).containsExactlyInAnyOrder("a", "a", "b", "b"));
        assertAllDelivered(2);
    }

    @Test
    void another_node_goes_on_with_a_replay_where_one_was_stopped() {
        Postrider<T> first = node(attentive());
        letters(first, letters).start();
        send(first, "ann", numbered("n", MANY));
        assertAllDelivered(MANY);
        Operation started = start(DELIVERED, Pace.UNLIMITED.perSecond(4));
        eventually().holds(() -> assertThat(find(started).progress().done()).isPositive());
        first.close();
        assertThat(find(started).state()).isEqualTo(State.RUNNING);
        letters(node(attentive()), letters).start();
        assertEnds(started);
        assertAllDelivered(MANY);
        assertThat(letters.delivered()).hasSize(2 * MANY);
    }

    @Test
    void what_was_skipped_is_delivered_once_a_handler_is_there_and_its_story_says_who_wanted_it() {
        Postrider<T> before = node(attentive());
        letters(before, letters).start();
        send(
                before,
                List.of(
                        letter("ann", "letter"),
                        Event.of("parcel.sent", "parcel").key("ann")));
        assertLedger(new Counts(1, 1, 0, 0, 0, 0), 0);
        before.close();
        letters(node(attentive()), letters)
                .on("parcel.*", String.class, letters)
                .start();
        Operation started = start(Target.skipped(SUBSCRIPTION), Pace.UNLIMITED);
        assertThat(started.progress().total()).isEqualTo(1);
        assertEnds(started);
        assertAllDelivered(2);
        assertThat(letters.delivered()).containsExactly("letter", "parcel");
        var parcel = store.search()
                .events(EventFilter.ALL.type("parcel.sent"), null, 1)
                .events()
                .get(0);
        Story.Standing told =
                store.search().story(parcel.id()).orElseThrow().standings().get(0);
        assertThat(told.why()).isInstanceOf(Why.Delivered.class);
        assertThat(told.attempts())
                .extracting(Story.Attempt::ending)
                .containsExactly(Story.Ending.REPLAYED, Story.Ending.DELIVERED);
        assertThat(told.attempts().get(0).who()).isEqualTo(BY.who());
    }

    // ---- what the tests do ------------------------------------------------------------------------------------------

    private Operation start(Target target, Pace pace) {
        return store.operations().start(Kind.REPLAY, target, pace, BY).orElseThrow();
    }

    private Operation find(Operation operation) {
        return store.operations().find(operation.id()).orElseThrow();
    }

    private void assertEnds(Operation operation) {
        eventually().holds(() -> assertThat(find(operation).state()).isEqualTo(State.FINISHED));
    }
}
