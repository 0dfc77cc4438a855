package io.postrider.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.postrider.EventId;
import io.postrider.Lane;
import io.postrider.Postrider;
import io.postrider.SubscriptionBuilder;
import io.postrider.Transact;
import io.postrider.observe.Observation;
import io.postrider.operate.Delivery;
import io.postrider.policy.Queue;
import io.postrider.policy.RetryPolicy;
import io.postrider.store.Settle;
import io.postrider.store.Settlement;
import io.postrider.store.Store.Limitation;
import io.postrider.store.StoreException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Idempotency: the record that an event was processed commits with its effect, so that a second dispatch has none. */
@RefusedWith(Limitation.NO_TRANSACTIONS)
public abstract class IdempotencySuite<T> extends EffectCase<T> {

    @Override
    SubscriptionBuilder<T> effects(Postrider<T> node, Letters letters) {
        return node.subscribe(SUBSCRIPTION)
                .onTransaction(
                        "letter.*",
                        String.class,
                        (transaction, text, context) -> handle(transaction, text, context, letters))
                .retry(QUICK);
    }

    /** Whoever took the lane over is put off while the other has its record open, and comes again. */
    @Override
    void openOnceTakenOver(Gate gate) {
        eventually()
                .holds(() -> assertThat(observed(Observation.Shared.class))
                        .anySatisfy(share -> assertThat(share.lanes()).isEqualTo(Lane.COUNT_DEFAULT)));
        gate.open();
    }

    @Override
    void assertRefused(Limitation limitation) {
        SubscriptionBuilder<T> recording = effects(node(), new Letters());
        assertRefused(limitation, "'letters' handles events in transactions (onTransaction)", recording::start);
    }

    @Test
    void an_event_that_is_dispatched_again_after_a_lost_settle_has_no_second_effect() {
        AtomicInteger lost = new AtomicInteger();
        Postrider<T> node = Postrider.on(
                calling((method, call) -> {
                    if (StorePorts.is(method, Settle.class, "settle")
                            && ((Settlement) call.arguments()[0]).counts().delivered() > 0
                            && lost.getAndIncrement() < 2) {
                        throw new StoreException("the settle is lost");
                    }
                    return call.now();
                }),
                config(quick()));
        closeAtEnd(node);
        Letters letters = new Letters();
        effects(node, letters).start();
        send(node, "ann", "a", "b");
        assertAllDelivered(2);
        assertThat(fixture.effects()).containsExactlyInAnyOrder("a", "b");
        assertThat(letters.started()).containsExactly("a", "b");
        assertThat(observed(Observation.Repeated.class))
                .isNotEmpty()
                .allSatisfy(repeated -> assertThat(repeated.subscription()).isEqualTo(SUBSCRIPTION));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void an_event_that_gets_no_transaction_in_time_has_had_no_attempt(boolean queue) {
        Gate gate = gate();
        Postrider<T> node = Postrider.on(
                calling((method, call) -> {
                    if (StorePorts.is(method, Transact.class, "transact")) {
                        gate.pass();
                    }
                    return call.now();
                }),
                config(quick().subscriptions(s -> s.handlerTimeout(Duration.ofMillis(100)))));
        closeAtEnd(node);
        Letters letters = new Letters();
        SubscriptionBuilder<T> effects = effects(node, letters).retry(QUICK.attempts(1));
        if (queue) {
            effects.queue(Queue.DEFAULT.timeout(Duration.ofMillis(100)));
        }
        effects.start();
        send(node(quick()), "ann", "a");
        eventually().holds(() -> assertThat(gate.entered()).isGreaterThan(2));
        assertThat(rows(Delivery.Status.DEAD)).isEmpty();
        gate.open();
        assertAllDelivered(1);
        assertThat(fixture.effects()).containsExactly("a");
    }

    @Test
    void two_events_with_one_id_have_one_effect() {
        Postrider<T> node = node(config(quick()));
        Letters letters = new Letters();
        effects(node, letters).start();
        EventId id = drawId();
        send(node, List.of(letter("ann", "a").id(id), letter("ann", "a").id(id)));
        assertAllDelivered(2);
        assertThat(fixture.effects()).containsExactly("a");
        assertThat(observed(Observation.Repeated.class)).hasSize(1);
    }

    @Test
    void each_subscription_has_its_own_effect() {
        Postrider<T> node = node();
        Letters letters = new Letters();
        effects(node, letters).start();
        node.subscribe("others")
                .onTransaction("letter.*", (transaction, json, context) -> fixture.effect(transaction, json))
                .start();
        send(node, "ann", "a");
        eventually().holds(() -> assertThat(fixture.effects()).containsExactlyInAnyOrder("a", "\"a\""));
    }

    @Test
    void records_are_kept_for_longer_than_an_event_is_retried() {
        Postrider<T> node = node(quick().processedFor(Duration.ofMinutes(2))
                .subscriptions(s -> s.handlerTimeout(Duration.ofSeconds(1))));
        Letters letters = new Letters();
        RetryPolicy patient = RetryPolicy.DEFAULT.attempts(4).pauses(Duration.ofMinutes(1), Duration.ofMinutes(1));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> effects(node, letters).retry(patient).start())
                .withMessageContaining("PT3M4S")
                .withMessageContaining("PT2M");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> effects(node, letters)
                        .retry("letter.sent", patient)
                        .retry(patient.attempts(1))
                        .start())
                .withMessageContaining("PT3M4S");
        effects(node, letters).retry(patient.attempts(2)).start();
        send(node, "ann", "a");
        assertAllDelivered(1);
    }
}
