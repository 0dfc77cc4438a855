package io.postrider.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.postrider.BatchHandler;
import io.postrider.Event;
import io.postrider.EventContext;
import io.postrider.Postrider;
import io.postrider.SubscriptionBuilder;
import io.postrider.observe.Observation;
import io.postrider.operate.Counts;
import io.postrider.store.SettleWithin;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Settle with effect where a handler takes several events at once: everything that holds for one by one, and more. */
public abstract class SettleBatchWithEffectSuite<T> extends SettleWithEffectSuite<T> {
    /** How many events came in each call. */
    private final List<Integer> sizes = new CopyOnWriteArrayList<>();

    @Override
    SubscriptionBuilder<T> effects(Postrider<T> node, Letters letters) {
        return node.subscribe(SUBSCRIPTION)
                .onTransactionBatch("letter.*", String.class, (transaction, events) -> {
                    sizes.add(events.size());
                    for (BatchHandler.Received<String> event : events) {
                        handle(transaction, event.payload(), event.context(), letters);
                    }
                })
                .retry(QUICK)
                .settleWithEffect();
    }

    /** The batch that failed was no attempt of any of its events. */
    @Override
    int attempt(int time) {
        return Math.max(1, time - 1);
    }

    @Test
    void several_events_come_at_once_in_their_order_those_of_one_key_too() {
        Postrider<T> node = node();
        List<String> keys = keysBeside("ann", 2);
        send(
                node,
                List.of(
                        letter(keys.get(0), "a1"),
                        letter(keys.get(0), "a2"),
                        letter(keys.get(1), "b1"),
                        letter(keys.get(0), "a3")));
        Letters letters = new Letters();
        effects(node, letters).start();
        assertAllDelivered(4);
        assertThat(sizes).containsExactly(4);
        assertThat(letters.started()).containsExactly("a1", "a2", "b1", "a3");
        assertThat(fixture.effects()).containsExactly("a1", "a2", "b1", "a3");
    }

    @Test
    void a_batch_that_succeeds_has_no_savepoint() {
        AtomicInteger marks = new AtomicInteger();
        Postrider<T> node = Postrider.on(
                calling((method, call) -> {
                    if (StorePorts.is(method, SettleWithin.class, "mark")) {
                        marks.incrementAndGet();
                    }
                    return call.now();
                }),
                config(quick()));
        closeAtEnd(node);
        send(node, "ann", numbered("n", 5));
        effects(node, new Letters()).start();
        assertAllDelivered(5);
        assertThat(fixture.effects()).containsExactly(numbered("n", 5));
        assertThat(marks).hasValue(0);
    }

    @Test
    void the_one_that_fails_is_found_and_the_others_have_their_effect_at_once() {
        Postrider<T> node = node(config(quick()));
        send(node, numberedLetters(10));
        Letters letters = new Letters().failAlways("n5");
        effects(node, letters).retry(QUICK.attempts(1)).start();
        assertLedger(new Counts(9, 0, 0, 1, 0, 0), 0);
        assertThat(sizes).startsWith(10, 1).hasSize(11);
        assertThat(letters.started().stream().filter("n5"::equals))
                .as("with the others, and alone")
                .hasSize(2);
        assertThat(fixture.effects()).hasSize(9).doesNotHaveDuplicates().doesNotContain("n5");
        assertThat(awaitDead().attempt()).isEqualTo(1);
        eventually()
                .holds(() -> assertThat(observed(Observation.Settled.class))
                        .extracting(Observation.Settled::change)
                        .as("in one settlement, so that none of the others was parked")
                        .contains(new Counts(9, 0, 0, 1, 0, 0)));
    }

    /** Of ten keys in one lane. */
    private List<Event> numberedLetters(int count) {
        List<String> keys = keysBeside("ann", count);
        return java.util.stream.IntStream.rangeClosed(1, count)
                .mapToObj(number -> letter(keys.get(number - 1), "n" + number))
                .toList();
    }

    @Test
    void an_event_that_cannot_be_read_fails_alone() {
        Postrider<T> node = node();
        List<String> keys = keysBeside("ann", 3);
        send(
                node,
                List.of(
                        letter(keys.get(0), "before"),
                        Event.of(TYPE, Map.of("not", "a text")).key(keys.get(1)),
                        letter(keys.get(2), "after")));
        effects(node, new Letters()).retry(QUICK.attempts(1)).start();
        assertLedger(new Counts(2, 0, 0, 1, 0, 0), 0);
        assertThat(awaitDead().error()).contains("cannot be read");
        assertThat(fixture.effects()).containsExactly("before", "after");
    }

    @Test
    void events_of_the_same_key_behind_the_one_that_fails_wait_for_it() {
        Postrider<T> node = node();
        Letters letters = new Letters().fail("n2", 3);
        send(node, "ann", numbered("n", 4));
        effects(node, letters).start();
        assertAllDelivered(4);
        assertThat(fixture.effects()).containsExactly(numbered("n", 4));
    }

    @Test
    void a_batch_and_handlers_of_single_events_share_a_transaction() {
        Postrider<T> node = node(config(quick()));
        Letters letters = new Letters();
        send(
                node,
                List.of(
                        letter("ann", "a"),
                        letter("ann", "b"),
                        Event.of("parcel.sent", "c").key("ann"),
                        letter("ann", "d"),
                        letter("ann", "e")));
        effects(node, letters)
                .onTransaction(
                        "parcel.*",
                        String.class,
                        (transaction, text, context) -> single(transaction, text, context, letters))
                .start();
        assertAllDelivered(5);
        assertThat(fixture.effects()).containsExactly("a", "b", "c", "d", "e");
        assertThat(sizes).containsExactly(2, 2);
        assertThat(observed(Observation.Settled.class))
                .extracting(settled -> settled.change().delivered())
                .contains(5L);
    }

    private void single(T transaction, String text, EventContext context, Letters letters) throws Exception {
        handle(transaction, text, context, letters);
    }

    @Test
    void a_batch_in_a_transaction_needs_a_subscription_that_settles_with_its_effect() {
        Postrider<T> node = node();
        assertThatIllegalStateException()
                .isThrownBy(() -> node.subscribe(SUBSCRIPTION)
                        .onTransactionBatch("letter.*", String.class, (transaction, events) -> sizes.add(0))
                        .start())
                .withMessageContaining("settleWithEffect()");
        effects(node, new Letters()).start();
        send(node, "ann", "a");
        assertAllDelivered(1);
        assertThat(fixture.effects()).containsExactly("a");
    }

    /** What has begun together is settled together, however long it took. */
    @Override
    @Test
    void a_transaction_that_is_open_for_long_starts_no_more_events() {
        Postrider<T> node = node(config(
                quick().subscriptions(s -> s.settleAfter(Duration.ofMillis(20)).effectEvents(2))));
        Gate gate = gate();
        Letters letters = new Letters().hold("n1", gate);
        send(node, "ann", numbered("n", 3));
        effects(node, letters).start();
        eventually().holds(() -> assertThat(gate.entered()).isEqualTo(1));
        gate.open();
        assertAllDelivered(3);
        assertThat(fixture.effects()).containsExactly("n1", "n2", "n3");
        assertThat(sizes).containsExactly(2, 1);
    }
}
