package io.postrider.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.Event;
import io.postrider.Headers;
import io.postrider.Lane;
import io.postrider.Postrider;
import io.postrider.PostriderConfig;
import io.postrider.SubscriptionBuilder;
import io.postrider.destination.Destination;
import io.postrider.destination.Outcome;
import io.postrider.observe.Observation;
import io.postrider.observe.Observer;
import io.postrider.operate.Counts;
import io.postrider.operate.Delivery;
import io.postrider.policy.NodeLimits;
import io.postrider.policy.Queue;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/** Observation: what a node does is told, each thing once, and nobody who listens can disturb it. */
public abstract class ObservationSuite<T> extends EngineCase<T> {
    private final Told told = new Told();
    private final List<String> steps = Collections.synchronizedList(new ArrayList<>());

    @Test
    void an_event_is_told_from_append_to_settle() {
        Postrider<T> node = observed(quick(), told);
        Letters letters = new Letters().fail("a", 1);
        letters(node, letters).start();
        send(node, "ann", "a");
        assertAllDelivered(1);
        eventually().holds(() -> assertThat(told.counts()).isEqualTo(new Counts(1, 0, 0, 0, 0, 0)));
        assertThat(told.all(Observation.Appended.class))
                .singleElement()
                .satisfies(appended -> assertThat(appended.events())
                        .extracting(written -> written.event().key())
                        .containsExactly("ann"));
        assertThat(told.all(Observation.Dispatched.class))
                .extracting(dispatched -> dispatched.outcome().getClass().getSimpleName())
                .containsExactly("Retry", "Delivered");
        assertThat(told.all(Observation.Dispatched.class))
                .extracting(Observation.Dispatched::attempt)
                .containsExactly(1, 2);
        assertThat(told.rows()).containsExactly(Delivery.Status.WAITING);
    }

    @Test
    void what_dies_and_what_expires_is_told_with_its_row() {
        Postrider<T> node = observed(quick(), told);
        Letters letters = new Letters().failAlways("dead");
        letters(node, letters).retry(QUICK.attempts(1)).start();
        send(
                node,
                List.of(
                        letter("ann", "dead").correlationId("burial"),
                        letter("bob", "late")
                                .correlationId("delay")
                                .expiresAt(Instant.now().minusSeconds(1))));
        assertLedger(new Counts(0, 0, 0, 1, 1, 0), 0);
        eventually()
                .holds(() -> assertThat(told.rows())
                        .containsExactlyInAnyOrder(Delivery.Status.DEAD, Delivery.Status.EXPIRED));
        assertThat(told.counts()).isEqualTo(new Counts(0, 0, 0, 1, 1, 0));
        assertThat(told.correlations()).containsExactlyInAnyOrder("burial", "delay");
    }

    @Test
    void what_ends_after_its_batch_is_told_with_its_headers() {
        Postrider<T> node = observed(quick().subscriptions(s -> s.settleAfter(Duration.ofMillis(20))), told);
        Gate gate = gate();
        Letters letters = new Letters().hold("slow", gate).failAlways("slow");
        letters(node, letters).retry(QUICK.attempts(1)).start();
        send(node, List.of(letter("ann", "slow").correlationId("slowness")));
        eventually().holds(() -> assertThat(told.rows()).containsExactly(Delivery.Status.RUNNING));
        gate.open();
        eventually()
                .holds(() -> assertThat(told.rows()).containsExactly(Delivery.Status.RUNNING, Delivery.Status.DEAD));
        assertThat(told.correlations()).containsExactly("slowness", "slowness");
    }

    @Test
    void what_becomes_of_the_tasks_of_a_queue_is_told_too() {
        Postrider<T> node = observed(quick(), told);
        Letters letters = new Letters().failAlways("dead");
        letters(node, letters).retry(QUICK.attempts(1)).queue(Queue.DEFAULT).start();
        send(
                node,
                List.of(
                        letter("ann", "done"),
                        letter("bob", "dead"),
                        letter("cid", "late").expiresAt(Instant.now().minusSeconds(1))));
        assertLedger(new Counts(1, 0, 0, 1, 1, 0), 0);
        eventually().holds(() -> assertThat(told.counts()).isEqualTo(new Counts(1, 0, 0, 1, 1, 0)));
        assertThat(told.rows()).contains(Delivery.Status.DEAD, Delivery.Status.EXPIRED);
    }

    @Test
    void a_call_that_is_given_up_is_told_once() {
        Postrider<T> node = observed(quick().subscriptions(s -> s.handlerTimeout(Duration.ofSeconds(1))), told);
        Gate gate = gate();
        Letters letters = new Letters().hold("slow", gate);
        letters(node, letters).start();
        send(node, "ann", "slow");
        assertAllDelivered(1);
        gate.open();
        eventually().holds(() -> assertThat(told.counts().delivered()).isEqualTo(1));
        assertThat(told.all(Observation.Dispatched.class))
                .extracting(dispatched -> dispatched.outcome().getClass().getSimpleName())
                .containsExactly("Retry", "Delivered");
    }

    @Test
    void a_call_that_is_never_answered_ends_when_it_is_given_up() {
        assertEndsWhenGivenUp(silent(
                observed(quick().subscriptions(s -> s.handlerTimeout(Duration.ofMillis(500))), new Tracer(steps))));
    }

    @Test
    void a_task_that_is_never_answered_ends_when_it_is_given_up() {
        assertEndsWhenGivenUp(
                silent(observed(quick(), new Tracer(steps))).queue(Queue.DEFAULT.timeout(Duration.ofMillis(500))));
    }

    private SubscriptionBuilder<T> silent(Postrider<T> node) {
        send(node, "ann", "a");
        return node.subscribe(SUBSCRIPTION).to("letter.*", new Silent()).retry(QUICK.attempts(1));
    }

    private void assertEndsWhenGivenUp(SubscriptionBuilder<T> silent) {
        silent.start();
        assertLedger(new Counts(0, 0, 0, 1, 0, 0), 0);
        assertThat(steps).containsExactly("entered", "left", "answered");
    }

    @Test
    void an_observer_may_add_headers_and_follow_a_dispatch_on_its_thread() {
        Postrider<T> node = observed(quick(), new Tracer(steps));
        node.subscribe(SUBSCRIPTION)
                .on(
                        "letter.*",
                        (payload, context) -> steps.add("handled "
                                + context.headers().get("traceparent").orElse("without")))
                .start();
        send(node, "ann", "a");
        assertAllDelivered(1);
        eventually().holds(() -> assertThat(steps).containsExactly("entered", "handled 00-abc", "left", "answered"));
    }

    @Test
    void an_observer_that_throws_disturbs_nothing() {
        Observer broken = observation -> {
            throw new IllegalStateException("out of paper");
        };
        Postrider<T> node = node(PostriderConfig.defaults()
                .limits(quick().build())
                .observer(broken)
                .observer(told));
        Letters letters = new Letters();
        letters(node, letters).start();
        send(node, "ann", "a", "b");
        assertAllDelivered(2);
        eventually().holds(() -> assertThat(told.counts().delivered()).isEqualTo(2));
    }

    @Test
    void the_share_of_a_node_is_told_as_it_changes() {
        Postrider<T> node = observed(quick(), told);
        letters(node, new Letters()).start();
        eventually().holds(() -> assertThat(told.share()).isEqualTo(Lane.COUNT_DEFAULT));
        letters(node(), new Letters()).start();
        eventually().holds(() -> assertThat(told.share()).isEqualTo(Lane.COUNT_DEFAULT / 2));
        node.close();
        assertThat(told.share()).isZero();
    }

    @Test
    void a_lane_that_is_full_is_told_and_told_again_when_it_is_not() {
        Postrider<T> node = observed(quick().subscriptions(s -> s.parkedMax(1)), told);
        Letters letters = new Letters().failAlways("a");
        letters(node, letters).start();
        send(node, "ann", "a");
        eventually()
                .holds(() -> assertThat(told.all(Observation.Full.class))
                        .extracting(Observation.Full::full)
                        .containsExactly(true));
        letters.heal();
        assertAllDelivered(1);
        eventually()
                .holds(() -> assertThat(told.all(Observation.Full.class))
                        .extracting(Observation.Full::full)
                        .containsExactly(true, false));
    }

    @Test
    void a_lane_that_is_handed_back_is_full_no_more() {
        Postrider<T> node = observed(quick().subscriptions(s -> s.parkedMax(1)), told);
        letters(node, new Letters().failAlways("a")).start();
        send(node, "ann", "a");
        eventually()
                .holds(() -> assertThat(told.all(Observation.Full.class))
                        .extracting(Observation.Full::full)
                        .containsExactly(true));
        node.close();
        assertThat(told.all(Observation.Full.class))
                .extracting(Observation.Full::full)
                .containsExactly(true, false);
    }

    private Postrider<T> observed(NodeLimits.Builder limits, Observer observer) {
        return node(PostriderConfig.defaults().limits(limits.build()).observer(observer));
    }

    /** Takes everything and answers nothing. */
    private static final class Silent implements Destination {
        @Override
        public Profile profile() {
            return Profile.handlers(1);
        }

        @Override
        public CompletionStage<Void> probe() {
            return CompletableFuture.completedStage(null);
        }

        @Override
        public CompletionStage<List<Outcome>> dispatch(List<Dispatch> dispatches) {
            return new CompletableFuture<>();
        }
    }

    /** Remembers everything. */
    private static final class Told implements Observer {
        private final List<Observation> all = new ArrayList<>();

        @Override
        public synchronized void observe(Observation observation) {
            all.add(observation);
        }

        synchronized <O extends Observation> List<O> all(Class<O> kind) {
            return all.stream().filter(kind::isInstance).map(kind::cast).toList();
        }

        Counts counts() {
            return all(Observation.Settled.class).stream()
                    .map(Observation.Settled::change)
                    .reduce(Counts.NONE, Counts::plus);
        }

        List<Delivery.Status> rows() {
            return all(Observation.Settled.class).stream()
                    .flatMap(settled -> settled.rows().stream())
                    .map(Delivery::status)
                    .toList();
        }

        /** The correlation ids of the events with rows, in their order. */
        List<String> correlations() {
            return all(Observation.Settled.class).stream()
                    .flatMap(settled ->
                            settled.rows().stream().map(row -> settled.headers().getOrDefault(row.id(), Headers.NONE)))
                    .map(headers -> headers.get(Headers.CORRELATION_ID).orElse("none"))
                    .toList();
        }

        int share() {
            List<Observation.Shared> shares = all(Observation.Shared.class);
            return shares.isEmpty() ? 0 : shares.get(shares.size() - 1).lanes();
        }
    }

    /** As a tracer does: names the trace when an event is appended, and is on the thread while it is handled. */
    private record Tracer(List<String> steps) implements Observer {
        @Override
        public void observe(Observation observation) {}

        @Override
        public Event appending(Event event) {
            return event.header("traceparent", "00-abc");
        }

        @Override
        public Dispatching dispatching(List<Destination.Dispatch> dispatches) {
            steps.add("entered");
            return new Dispatching() {
                @Override
                public void left() {
                    steps.add("left");
                }

                @Override
                public void answered(List<Outcome> outcomes) {
                    steps.add("answered");
                }
            };
        }
    }
}
