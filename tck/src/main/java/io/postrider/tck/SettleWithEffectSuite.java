package io.postrider.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.postrider.Event;
import io.postrider.EventFilter;
import io.postrider.Postrider;
import io.postrider.StoredEvent;
import io.postrider.SubscriptionBuilder;
import io.postrider.observe.Observation;
import io.postrider.operate.Counts;
import io.postrider.policy.Start;
import io.postrider.store.ConflictException;
import io.postrider.store.FilterText;
import io.postrider.store.Processed;
import io.postrider.store.Renew;
import io.postrider.store.SettleWithin;
import io.postrider.store.Store.Limitation;
import io.postrider.store.StoreException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** Settle with effect: the cursor commits with what the handlers did. */
@RefusedWith({Limitation.NO_TRANSACTIONS, Limitation.NO_SAVEPOINTS})
public abstract class SettleWithEffectSuite<T> extends EffectCase<T> {
    /** A lease that is over soon, on a machine that is not too busy to renew it. */
    private static final Duration BRIEF = Duration.ofMillis(500);

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

    @Override
    void assertRefused(Limitation limitation) {
        SubscriptionBuilder<T> settling = effects(node(), new Letters());
        assertRefused(limitation, "'letters' settles with its effect (settleWithEffect)", settling::start);
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

    @Test
    void a_commit_whose_lost_answer_cannot_tell_of_itself_is_found_and_not_repeated() {
        assertFoundAfter(() -> new StoreException("the answer is lost", new Speechless()));
    }

    private void assertFoundAfter(Supplier<Throwable> failure) {
        AtomicInteger lost = new AtomicInteger();
        Postrider<T> node = Postrider.on(
                calling((method, call) -> {
                    Object answer = call.now();
                    if (StorePorts.is(method, SettleWithin.class, "settle") && lost.getAndIncrement() < 2) {
                        throw failure.get();
                    }
                    return answer;
                }),
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
        store.subscriptions().register(SUBSCRIPTION, Start.beginning(), "letter.*");
        record("a");
        Letters letters = new Letters();
        effects(node, letters).start();
        send(node, "ann", "b");
        assertAllDelivered(2);
        assertThat(fixture.effects()).containsExactly("a", "b");
        assertThat(letters.started()).containsExactly("b");
    }

    @Test
    void an_effect_that_was_recorded_while_an_owner_stood_by_is_not_repeated_by_it() throws Exception {
        Postrider<T> node = node(quick().lease(BRIEF));
        Letters letters = new Letters();
        effects(node, letters).start();
        send(node, "ann", "a");
        assertAllDelivered(1);
        awaitLater(BRIEF.multipliedBy(2));
        String own = store.subscriptions()
                .register(SUBSCRIPTION, Start.beginning(), "letter.*")
                .replaced();
        send(node, "ann", "b");
        record("b");
        assertThat(store.subscriptions()
                        .register(SUBSCRIPTION, Start.beginning(), String.valueOf(own))
                        .replaced())
                .isEqualTo("letter.*");
        send(node, "ann", "c");
        assertAllDelivered(3);
        assertThat(fixture.effects()).containsExactly("a", "b", "c");
    }

    @Test
    void a_store_that_fails_at_the_look_for_a_record_costs_no_attempt() {
        AtomicInteger failures = new AtomicInteger(3);
        Letters letters = lookingForRecords(look -> {
            switch (failures.getAndDecrement()) {
                case 3 -> throw new ConflictException("another transaction was faster", new IllegalStateException());
                case 2 -> throw new StoreException("no connection");
                case 1 -> throw new StoreException("no connection", new Speechless());
                default -> {
                    return look.now();
                }
            }
        });
        assertAllDelivered(1);
        assertThat(letters.attempts("a")).containsExactly(1);
        assertThat(failures).hasNegativeValue();
    }

    @Test
    void an_event_that_was_given_up_while_it_waited_for_a_record_is_not_handled_by_that_worker() {
        AtomicInteger looks = new AtomicInteger();
        CountDownLatch again = new CountDownLatch(1);
        Letters letters = lookingForRecords(look -> {
            if (looks.incrementAndGet() > 1) {
                again.countDown();
                return look.now();
            }
            boolean over = false;
            while (!over) { // as a driver that an interrupt does not reach
                try {
                    over = again.await(1, TimeUnit.MINUTES);
                } catch (InterruptedException e) {
                    assertThat(again.getCount()).isNotNegative();
                }
            }
            return true;
        });
        assertAllDelivered(1);
        awaitLater(BRIEF);
        assertThat(letters.started()).containsExactly("a");
        assertThat(fixture.effects()).containsExactly("a");
    }

    /** An owner with one attempt for each event, which looks for records of a former form in this way. */
    private Letters lookingForRecords(Looking looking) {
        store.subscriptions().register(SUBSCRIPTION, Start.beginning(), "letter.*");
        send(node(), "ann", "a");
        Postrider<T> node = Postrider.on(
                calling((method, call) ->
                        StorePorts.is(method, Processed.class, "first") ? looking.look(call) : call.now()),
                config(quick().subscriptions(s -> s.handlerTimeout(BRIEF))));
        closeAtEnd(node);
        Letters letters = new Letters();
        effects(node, letters).retry(QUICK.attempts(1)).start();
        return letters;
    }

    /** How a look for a record goes. */
    private interface Looking {
        Object look(StorePorts.Call look) throws Throwable;
    }

    @Test
    void an_owner_that_keeps_records_and_has_not_heard_of_the_other_form_has_no_effect() {
        CountDownLatch heard = new CountDownLatch(1);
        AtomicBoolean deaf = new AtomicBoolean();
        Postrider<T> old = Postrider.on(
                calling((method, call) -> {
                    if (deaf.get() && StorePorts.is(method, Renew.class, "renew")) {
                        heard.await();
                    }
                    return call.now();
                }),
                config(quick().lease(Duration.ofMinutes(1))));
        closeAtEnd(old);
        Letters atOld = new Letters();
        old.subscribe(SUBSCRIPTION)
                .onTransaction(
                        "letter.*",
                        String.class,
                        (transaction, text, context) -> handle(transaction, text, context, atOld))
                .retry(QUICK)
                .start();
        send(old, "ann", "a");
        assertAllDelivered(1);
        deaf.set(true);
        Letters letters = new Letters();
        effects(node(quick().lease(BRIEF)), letters).start();
        awaitLater(BRIEF.multipliedBy(2));
        List<String> later = List.of(numbered("n", 20));
        later.forEach(text -> send(node(), text, text));
        assertAllDelivered(21);
        awaitLater(BRIEF); // the old owner looks for news all the while
        heard.countDown();
        assertThat(fixture.effects()).hasSize(21).doesNotHaveDuplicates().containsAll(later);
        assertThat(atOld.started()).containsExactly("a");
    }

    /** As a node that keeps records does, whose settlement is lost. */
    private void record(String text) throws Exception {
        StoredEvent newest =
                store.search().events(EventFilter.ALL, null, 1).events().get(0);
        assertThat(newest.payload()).contains(text);
        T transaction = fixture.begin();
        assertThat(store.processed().record(transaction, newest.id(), SUBSCRIPTION))
                .isEqualTo(Processed.Recorded.FIRST);
        fixture.effect(transaction, text);
        fixture.commit(transaction);
    }

    private void awaitLater(Duration time) {
        Instant end = Instant.now().plus(time);
        eventually().holds(() -> assertThat(Instant.now()).isAfter(end));
    }

    @Test
    void owners_that_keep_records_and_owners_that_settle_with_effects_share_no_subscription() {
        store.subscriptions().register(SUBSCRIPTION, Start.beginning(), "letter.*");
        effects(node(), new Letters()).start();
        assertThat(store.subscriptions()
                        .register(SUBSCRIPTION, Start.beginning(), "letter.*")
                        .replaced())
                .isEqualTo("letter.* " + FilterText.WITH_EFFECT);
    }

    @Test
    void no_more_than_effectEvents_are_in_one_transaction() {
        Postrider<T> node = node(config(quick().subscriptions(s -> s.effectEvents(3))));
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
        Postrider<T> node = node(config(quick().subscriptions(s -> s.settleAfter(Duration.ofMillis(20)))));
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
