package io.postrider.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.postrider.Counts;
import io.postrider.Event;
import io.postrider.EventFilter;
import io.postrider.EventId;
import io.postrider.Observation;
import io.postrider.Postrider;
import io.postrider.Start;
import io.postrider.SubscriptionBuilder;
import io.postrider.spi.FilterText;
import io.postrider.spi.SettleWithin;
import io.postrider.spi.StoreException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** Settle with effect: the cursor commits with what the handlers did. */
public abstract class SettleWithEffectSuite<T> extends EffectCase<T> {

    @Override
    SubscriptionBuilder<T> effects(Postrider<T> node, Letters letters) {
        return node.subscribe(SUBSCRIPTION)
                .onTransaction(
                        "letter.*",
                        String.class,
                        (transaction, text, context) -> handle(transaction, text, context, letters))
                .retry(QUICK)
                .settleWithEffect();
    }

    /** Nobody waits for the transaction of the other: it is opened when all is over. */
    @Override
    void openOnceTakenOver(Gate gate) {
        assertAllDelivered(1);
        gate.open();
    }

    @Test
    void a_commit_whose_answer_is_lost_is_found_and_not_repeated() {
        assertFoundAfter(() -> new StoreException("the answer is lost"));
    }

    /** Nobody knows what became of it: to settle the batch as one that failed would have its effects a second time. */
    @Test
    void a_commit_over_whose_answer_an_error_is_thrown_is_found_and_not_repeated() {
        assertFoundAfter(() -> new OutOfMemoryError("no room for the answer"));
    }

    private void assertFoundAfter(Supplier<Throwable> failure) {
        AtomicInteger lost = new AtomicInteger();
        Postrider<T> node = Postrider.on(
                calling((method, call) -> method.getName().equals("settleWithin")
                        ? on(SettleWithin.class, call.now(), (inner, settle) -> {
                            Object answer = settle.now();
                            if (inner.getName().equals("settle") && lost.getAndIncrement() < 2) {
                                throw failure.get();
                            }
                            return answer;
                        })
                        : call.now()),
                config(quick()));
        closeAtEnd(node);
        Letters letters = new Letters();
        effects(node, letters).start();
        send(node, "ann", "a", "b");
        send(node, "ann", "c");
        assertAllDelivered(3);
        eventually().holds(() -> assertThat(lost).hasPositiveValue());
        assertThat(fixture.effects()).containsExactly("a", "b", "c");
        assertThat(letters.started()).containsExactly("a", "b", "c");
    }

    @Test
    void an_effect_that_was_committed_beside_a_record_is_not_repeated_by_an_owner_that_settles_with_effects()
            throws Exception {
        Postrider<T> node = node();
        send(node, "ann", "a");
        EventId id = store.search()
                .events(EventFilter.ALL, null, 1)
                .hits()
                .get(0)
                .event()
                .id();
        T recorded = fixture.begin(); // as a node without settleWithEffect does, whose settlement is lost
        assertThat(store.processed().first(recorded, id, SUBSCRIPTION)).isTrue();
        fixture.effect(recorded, "a");
        fixture.commit(recorded);
        Letters letters = new Letters();
        effects(node, letters).start();
        send(node, "ann", "b");
        assertAllDelivered(2);
        assertThat(fixture.effects()).containsExactly("a", "b");
        assertThat(letters.started()).containsExactly("b");
    }

    @Test
    void owners_that_keep_records_and_owners_that_settle_with_effects_share_no_subscription() {
        store.register(SUBSCRIPTION, Start.beginning(), "letter.*");
        effects(node(), new Letters()).start();
        assertThat(store.register(SUBSCRIPTION, Start.beginning(), "letter.*").replaced())
                .isEqualTo("letter.* " + FilterText.WITH_EFFECT);
    }

    @Test
    void no_more_than_effectEvents_are_in_one_transaction() {
        Postrider<T> node = node(config(quick().effectEvents(3)));
        Letters letters = new Letters();
        send(node, "ann", numbered("n", 10));
        effects(node, letters).start();
        assertAllDelivered(10);
        assertThat(letters.delivered()).containsExactly(numbered("n", 10));
        assertThat(fixture.effects()).containsExactly(numbered("n", 10));
    }

    @Test
    void events_that_no_handler_takes_are_settled_without_a_transaction() {
        Postrider<T> node = node();
        effects(node, new Letters()).start();
        send(node, List.of(Event.of("parcel.sent", "p").key("ann"), letter("ann", "a")));
        assertLedger(new Counts(1, 1, 0, 0, 0, 0), 0);
        assertThat(fixture.effects()).containsExactly("a");
    }

    @Test
    void every_handler_has_to_be_in_the_transaction() {
        Postrider<T> node = node();
        Letters letters = new Letters();
        assertThatIllegalStateException()
                .isThrownBy(() -> effects(node, letters)
                        .on("parcel.*", String.class, letters)
                        .start())
                .withMessageContaining("parcel.*");
        effects(node, letters).start();
        send(node, "ann", "a");
        assertAllDelivered(1);
    }

    @Test
    void a_transaction_that_is_open_for_long_starts_no_more_events() {
        Postrider<T> node = node(config(quick().settleAfter(Duration.ofMillis(20))));
        Gate gate = gate();
        Letters letters = new Letters().hold("n1", gate);
        send(node, "ann", numbered("n", 3));
        effects(node, letters).start();
        eventually().holds(() -> assertThat(gate.entered()).isEqualTo(1));
        Instant open = Instant.now();
        eventually().holds(() -> assertThat(Instant.now()).isAfter(open.plusMillis(20)));
        gate.open();
        assertAllDelivered(3);
        assertThat(fixture.effects()).containsExactly("n1", "n2", "n3");
        eventually().holds(() -> assertThat(observed(Observation.Settled.class)).isNotEmpty());
        assertThat(observed(Observation.Settled.class).get(0).change().delivered())
                .isEqualTo(1);
    }
}
