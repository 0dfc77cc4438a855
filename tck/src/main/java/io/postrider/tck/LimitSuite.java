package io.postrider.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.postrider.Event;
import io.postrider.Postrider;
import io.postrider.SubscriptionBuilder;
import io.postrider.destination.Destination;
import io.postrider.destination.Outcome;
import io.postrider.operate.Counts;
import io.postrider.operate.Delivery;
import io.postrider.policy.Queue;
import io.postrider.policy.RetryPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Limits: what is slow, large or broken stays within its bounds. */
public abstract class LimitSuite<T> extends EngineCase<T> {

    @Test
    void a_handler_that_does_not_return_in_time_has_failed() {
        Postrider<T> node = node(quick().subscriptions(s -> s.handlerTimeout(Duration.ofMillis(500))));
        Gate gate = gate();
        Letters letters = new Letters().hold("a", gate);
        letters(node, letters).start();
        send(node, "ann", "a", "b");
        assertAllDelivered(2);
        assertThat(gate.entered()).isEqualTo(1);
        assertThat(letters.attempts("a")).hasSizeGreaterThan(1);
        assertThat(letters.delivered()).containsExactly("a", "b");
    }

    @Test
    void a_handler_that_never_returns_in_time_ends_with_a_dead_event() {
        Postrider<T> node = node(quick().subscriptions(s -> s.handlerTimeout(Duration.ofMillis(50))));
        Letters letters = new Letters().hold("a", gate());
        letters(node, letters).retry(RetryPolicy.DEFAULT.attempts(1)).start();
        send(node, "ann", "a");
        assertLedger(new Counts(0, 0, 0, 1, 0, 0), 0);
        assertThat(awaitDead().error()).contains("handlerTimeout");
    }

    /** Its window would be used up, and its calls would count as under way for ever. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void a_destination_that_fails_as_its_calls_are_given_up_gets_the_next_ones(boolean queue) {
        Postrider<T> node = node(quick().subscriptions(s -> s.handlerTimeout(Duration.ofMillis(200))));
        AtomicInteger asked = new AtomicInteger();
        SubscriptionBuilder<T> letters = node.subscribe(SUBSCRIPTION)
                .to("letter.*", new Unanswering(asked))
                .retry(QUICK);
        if (queue) {
            letters.queue(Queue.DEFAULT.timeout(Duration.ofMillis(200)));
        }
        letters.start();
        for (int i = 0; i < 10; i++) {
            send(node, "key-" + i, "n" + i);
        }
        assertAllDelivered(10);
        assertThat(asked).hasValueGreaterThanOrEqualTo(12);
    }

    /** Never answers its first two calls, which is all that it takes at once, and cannot take them back. */
    private record Unanswering(AtomicInteger asked) implements Destination {
        @Override
        public Profile profile() {
            return new Profile("remote", 1, 2, Duration.ZERO);
        }

        @Override
        public CompletionStage<List<Outcome>> dispatch(List<Dispatch> dispatches) {
            if (asked.incrementAndGet() > 2) {
                return CompletableFuture.completedStage(List.of(Outcome.DELIVERED));
            }
            return new CompletableFuture<>() {
                @Override
                public boolean cancel(boolean interrupt) {
                    throw new IllegalStateException("the connection is closed already");
                }
            };
        }

        @Override
        public CompletionStage<Void> probe() {
            return CompletableFuture.completedStage(null);
        }
    }

    @Test
    void a_lane_moves_on_past_a_slow_event_but_its_key_waits() {
        Postrider<T> node = node(quick().subscriptions(s -> s.settleAfter(Duration.ofMillis(30))));
        List<String> keys = keysBeside("ann", 2);
        Gate gate = gate();
        Letters letters = new Letters().hold("a1", gate);
        letters(node, letters).start();
        send(node, keys.get(0), "a1", "a2");
        eventually().holds(() -> assertThat(gate.entered()).isEqualTo(1));
        send(node, keys.get(1), "b1");
        assertDelivered(letters, "b1");
        send(node, keys.get(0), "a3");
        send(node, keys.get(1), "b2");
        assertDelivered(letters, "b2");
        assertLedger(new Counts(2, 0, 3, 0, 0, 0), 0);
        assertThat(rows(Delivery.Status.RUNNING)).hasSize(1);
        assertThat(letters.started()).doesNotContain("a2", "a3");
        gate.open();
        assertAllDelivered(5);
        assertThat(letters.delivered(keys.get(0))).containsExactly("a1", "a2", "a3");
        assertThat(letters.started()).hasSize(5);
    }

    @Test
    void a_slow_event_that_fails_in_the_end_is_tried_again() {
        Postrider<T> node = node(quick().subscriptions(s -> s.settleAfter(Duration.ofMillis(30))));
        Gate gate = gate();
        Letters letters = new Letters().hold("a", gate).fail("a", 1);
        letters(node, letters).start();
        send(node, "ann", "a");
        eventually().holds(() -> assertThat(rows(Delivery.Status.RUNNING)).hasSize(1));
        gate.open();
        assertAllDelivered(1);
        assertThat(letters.attempts("a")).containsExactly(1, 2);
    }

    @Test
    void a_lane_with_too_many_parked_events_reads_nothing_new() {
        Postrider<T> node = node(quick().subscriptions(s -> s.parkedMax(3).batchEvents(1)));
        Letters letters = new Letters();
        List<Event> events = new ArrayList<>();
        for (String key : keysBeside("ann", 10)) {
            letters.failAlways("to " + key);
            events.add(letter(key, "to " + key));
        }
        send(node, events);
        letters(node, letters).start();
        eventually().holds(() -> {
            assertThat(letters.started()).hasSizeGreaterThan(20);
            assertThat(new HashSet<>(letters.started())).hasSizeGreaterThanOrEqualTo(3);
        });
        assertThat(new HashSet<>(letters.started())).hasSize(3);
        assertLedger(new Counts(0, 0, 3, 0, 0, 0), 7);
        letters.heal();
        assertAllDelivered(10);
    }

    @Test
    void batches_of_one_event_and_few_bytes_deliver_everything() {
        Postrider<T> node = node(quick().subscriptions(s -> s.batchEvents(1).batchBytes(1))
                .inFlightEvents(1)
                .inFlightBytes(1));
        Letters letters = new Letters();
        List<Event> events = new ArrayList<>();
        for (String text : numbered("n", 40)) {
            events.add(letter("key " + events.size() % 8, text));
        }
        send(node, events);
        letters(node, letters).start();
        assertAllDelivered(40);
        assertThat(letters.started()).hasSize(40);
    }

    @Test
    void no_more_handlers_run_at_once_than_allowed() {
        Postrider<T> node = node(quick().subscriptions(s -> s.concurrency(2)));
        Gate gate = gate();
        Letters letters = new Letters();
        List<Event> events = new ArrayList<>();
        for (String key : keysBeside("ann", 5)) {
            letters.hold("to " + key, gate);
            events.add(letter(key, "to " + key));
        }
        send(node, events);
        letters(node, letters).start();
        eventually().holds(() -> assertThat(gate.entered()).isEqualTo(2));
        assertThat(letters.started()).hasSize(2);
        gate.open();
        assertAllDelivered(5);
    }

    @Test
    void a_subscription_that_changes_one_limit_keeps_the_others_of_its_node() {
        Postrider<T> node = node(quick().subscriptions(s -> s.handlerTimeout(Duration.ofMillis(500))));
        Letters letters = new Letters().hold("a", gate());
        letters(node, letters)
                .limits(l -> l.concurrency(1))
                .retry(QUICK.attempts(1))
                .start();
        send(node, "ann", "a");
        assertThat(awaitDead().error()).contains("handlerTimeout");
    }

    @Test
    void a_limit_that_a_subscription_would_never_read_is_refused_at_start() {
        Postrider<T> node = node(quick().subscriptions(s -> s.effectEvents(7)));
        Letters letters = new Letters();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> letters(node, letters)
                        .queue(Queue.DEFAULT)
                        .limits(l -> l.handlerTimeout(Duration.ofSeconds(5)))
                        .start())
                .withMessageContaining("'letters' has handlerTimeout of its own, PT5S")
                .withMessageContaining("Queue.timeout");
        assertThatIllegalArgumentException()
                .isThrownBy(() ->
                        letters(node, letters).limits(l -> l.effectEvents(8)).start())
                .withMessageContaining("'letters' has effectEvents of its own, 8")
                .withMessageContaining("settleWithEffect");
        assertThat(store.browse().subscriptions()).isEmpty();
        letters(node, letters).start();
        send(node, "ann", "a");
        assertAllDelivered(1);
    }

    @Test
    void a_subscription_whose_batches_do_not_fit_its_node_is_refused() {
        Postrider<T> node = node(quick().subscriptions(s -> s.batchEvents(10)).inFlightEvents(10));
        Letters letters = new Letters();
        assertThatIllegalArgumentException()
                .isThrownBy(() ->
                        letters(node, letters).limits(l -> l.batchEvents(11)).start())
                .withMessageContaining("inFlightEvents");
        letters(node, letters).start();
        send(node, "ann", "a");
        assertAllDelivered(1);
    }
}
