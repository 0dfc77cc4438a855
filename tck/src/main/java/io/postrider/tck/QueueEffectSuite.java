package io.postrider.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.postrider.Postrider;
import io.postrider.PostriderConfig;
import io.postrider.SubscriptionBuilder;
import io.postrider.Transact;
import io.postrider.observe.Observation;
import io.postrider.operate.Delivery;
import io.postrider.policy.Queue;
import io.postrider.policy.RetryPolicy;
import io.postrider.store.Store;
import io.postrider.store.Store.Limitation;
import io.postrider.store.StoreException;
import io.postrider.store.Tasks;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** Tasks whose effects are in the store's own database have them once: a task may run twice, its record is one. */
@RefusedWith(Limitation.NO_TRANSACTIONS)
public abstract class QueueEffectSuite<T> extends EngineCase<T> {
    private static final Queue QUEUE =
            Queue.DEFAULT.lease(Duration.ofMillis(300)).timeout(Duration.ofSeconds(30));

    private final List<Observation> observed = new CopyOnWriteArrayList<>();

    @Override
    void assertRefused(Limitation limitation) {
        SubscriptionBuilder<T> recording = effects(node(), new Letters());
        assertRefused(limitation, "'letters' handles events in transactions (onTransaction)", recording::start);
    }

    @Test
    void each_task_has_its_effect_once() {
        Postrider<T> node = node();
        effects(node, new Letters()).start();
        send(node, "ann", numbered("n", 50));
        assertAllDelivered(50);
        assertThat(fixture.effects()).containsExactlyInAnyOrder(numbered("n", 50));
    }

    @Test
    void an_exception_undoes_the_effect_of_its_task() {
        Postrider<T> node = node();
        Letters letters = new Letters().fail("bad", 2);
        effects(node, letters).start();
        send(node, "ann", "good", "bad");
        assertAllDelivered(2);
        assertThat(fixture.effects()).containsExactlyInAnyOrder("good", "bad");
        assertThat(letters.attempts("bad")).containsExactly(1, 2, 3);
    }

    @Test
    void a_run_that_lost_its_lease_and_commits_all_the_same_leaves_no_effect_to_the_next() {
        AtomicBoolean cutOff = new AtomicBoolean();
        Postrider<T> late = late(cutOff);
        Gate gate = gate();
        Letters held = new Letters().hold("a", gate);
        effects(late, held).start();
        send(late, "ann", "a");
        eventually().holds(() -> assertThat(gate.entered()).isEqualTo(1));
        cutOff.set(true);
        Letters letters = new Letters();
        effects(node(config()), letters).start();
        awaitSecondAttempt();
        gate.open();
        assertAllDelivered(1);
        assertThat(fixture.effects()).containsExactly("a");
        assertThat(held.delivered()).containsExactly("a");
        assertThat(letters.started()).isEmpty();
        assertThat(observed).hasAtLeastOneElementOfType(Observation.Repeated.class);
        cutOff.set(false);
    }

    @Test
    void a_run_that_begins_when_its_task_is_done_elsewhere_has_no_effect() {
        AtomicBoolean cutOff = new AtomicBoolean();
        Gate gate = gate();
        Letters unwanted = new Letters();
        Postrider<T> late = closed(Postrider.on(
                store((method, call) -> {
                    if (StorePorts.is(method, Transact.class, "transact")) {
                        gate.pass();
                    }
                    return cut(cutOff, method, call);
                }),
                config()));
        effects(late, unwanted).start();
        Postrider<T> other = node();
        send(other, "ann", "a");
        eventually().holds(() -> assertThat(gate.entered()).isEqualTo(1));
        cutOff.set(true);
        Letters letters = new Letters();
        effects(other, letters).start();
        assertAllDelivered(1);
        gate.open();
        eventually().holds(() -> assertThat(observed).hasAtLeastOneElementOfType(Observation.Repeated.class));
        assertThat(fixture.effects()).containsExactly("a");
        assertThat(letters.delivered()).containsExactly("a");
        assertThat(unwanted.started()).isEmpty();
        cutOff.set(false);
        assertAllDelivered(1);
    }

    @Test
    void a_queue_cannot_settle_with_its_effect() {
        Postrider<T> node = node();
        Letters letters = new Letters();
        assertThatIllegalStateException()
                .isThrownBy(() -> effects(node, letters).settleWithEffect().start())
                .withMessageContaining("'" + SUBSCRIPTION + "' is a queue");
        assertThat(store.browse().subscriptions()).isEmpty();
        effects(node, letters).start();
        send(node, "ann", "a");
        assertAllDelivered(1);
    }

    @Test
    void records_are_kept_for_longer_than_a_task_is_retried() {
        Postrider<T> node = node(quick().processedFor(Duration.ofMinutes(2)));
        Letters letters = new Letters();
        RetryPolicy three = RetryPolicy.DEFAULT.attempts(3).pauses(Duration.ofSeconds(1), Duration.ofSeconds(1));
        Queue slow = QUEUE.timeout(Duration.ofSeconds(30)).lease(Duration.ofSeconds(10));
        assertThatIllegalArgumentException()
                .isThrownBy(
                        () -> effects(node, letters).retry(three).queue(slow).start())
                .withMessageContaining("PT2M2S")
                .withMessageEndingWith("is PT2M");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> effects(node, letters)
                        .retry(three.attempts(1))
                        .retry(TYPE, three)
                        .queue(slow)
                        .start())
                .withMessageContaining("PT2M2S");
        effects(node, letters)
                .retry(three)
                .queue(slow.lease(Duration.ofSeconds(9)))
                .start();
        send(node, "ann", "a");
        assertAllDelivered(1);
    }

    // ---- what the tests do ------------------------------------------------------------------------------------------

    private SubscriptionBuilder<T> effects(Postrider<T> node, Letters letters) {
        return node.subscribe(SUBSCRIPTION)
                .onTransaction("letter.*", String.class, (transaction, text, context) -> {
                    fixture.effect(transaction, text);
                    letters.handle(text, context);
                })
                .retry(QUICK)
                .queue(QUEUE);
    }

    /** A node that from some time on can do nothing about tasks but run those it has. */
    private Postrider<T> late(AtomicBoolean cutOff) {
        return closed(Postrider.on(store((method, call) -> cut(cutOff, method, call)), config()));
    }

    private static Object cut(AtomicBoolean cutOff, Method method, StorePorts.Call call) throws Throwable {
        if (cutOff.get() && method.getDeclaringClass() == Tasks.class) {
            throw new StoreException("cut off");
        }
        return call.now();
    }

    private Store<T> store(StorePorts.Way way) {
        return StorePorts.of(fixture.another(), way);
    }

    private PostriderConfig config() {
        return PostriderConfig.defaults().limits(quick().build()).observer(observed::add);
    }

    private Postrider<T> closed(Postrider<T> node) {
        closeAtEnd(node);
        return node;
    }

    private void awaitSecondAttempt() {
        eventually()
                .holds(() -> assertThat(rows(Delivery.Status.RUNNING))
                        .singleElement()
                        .satisfies(row -> assertThat(row.attempt()).isGreaterThan(1)));
    }
}
