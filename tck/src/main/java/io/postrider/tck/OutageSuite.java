package io.postrider.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.Event;
import io.postrider.EventId;
import io.postrider.Lane;
import io.postrider.Postrider;
import io.postrider.destination.Destination;
import io.postrider.destination.Outcome;
import io.postrider.observe.Observation;
import io.postrider.operate.Counts;
import io.postrider.operate.Delivery;
import io.postrider.operate.DestinationStatus;
import io.postrider.policy.NodeLimits;
import io.postrider.policy.Queue;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A destination that is down costs nothing but time. */
public abstract class OutageSuite<T> extends EngineCase<T> {
    private final Broker broker = new Broker();

    @Test
    void while_a_destination_is_down_everything_waits_nothing_is_parked_and_no_attempt_is_counted() {
        Postrider<T> node = toBroker(quick());
        broker.down();
        send(node, letters(100, 20));
        eventually().holds(() -> assertThat(status(node).isUp()).isFalse());
        assertThat(store.browse().ledger(SUBSCRIPTION).counts()).isEqualTo(Counts.NONE);
        eventually().holds(() -> assertThat(status(node).why()).isEqualTo("still no route to the broker"));
        assertThat(rows(Delivery.Status.WAITING)).isEmpty();
        broker.up();
        assertAllDelivered(100);
        assertThat(broker.seen()).extracting(Destination.Dispatch::attempt).containsOnly(1);
        assertThat(status(node).isUp()).isTrue();
    }

    @Test
    void an_outage_in_the_middle_loses_nothing_keeps_the_order_and_repeats_no_more_than_was_in_flight() {
        Postrider<T> node = toBroker(quick());
        List<Event> letters = letters(300, 7);
        for (int outage = 0; outage < 5; outage++) {
            broker.downAfter(31);
            send(node, letters.subList(outage * 60, outage * 60 + 60));
            eventually().holds(() -> assertThat(status(node).isUp()).isFalse());
            assertThat(rows(Delivery.Status.WAITING)).isEmpty();
            broker.up();
            eventually().holds(() -> assertThat(status(node).isUp()).isTrue());
        }
        assertAllDelivered(300);
        assertInOrder(300, 7);
        assertThat(broker.seen()).extracting(Destination.Dispatch::attempt).containsOnly(1);
        assertThat(broker.seen().size() - 300).isLessThanOrEqualTo(5 * Broker.WINDOW);
    }

    @Test
    void what_was_delivered_behind_an_event_that_was_not_is_not_dispatched_again() {
        List<String> keys = keysOfOneLane(3);
        CompletableFuture<Outcome> answer = new CompletableFuture<>();
        Holding destination = new Holding("first", answer);
        Postrider<T> node = node(config(quick()));
        node.subscribe(SUBSCRIPTION).to("letter.*", destination).start();
        send(
                node,
                List.of(
                        letter(keys.get(0), "first"),
                        letter(keys.get(0), "second"),
                        letter(keys.get(1), "other"),
                        letter(keys.get(2), "another")));
        eventually().holds(() -> assertThat(destination.seen()).containsExactlyInAnyOrder("first", "other", "another"));
        answer.complete(Outcome.down("cut off"));
        assertAllDelivered(4);
        assertThat(destination.seen())
                .containsExactlyInAnyOrder("first", "other", "another", "first", "second")
                .containsSubsequence("first", "first", "second");
    }

    private static List<String> keysOfOneLane(int count) {
        EventId any = new EventId(new UUID(0, 0));
        return IntStream.range(0, 1_000)
                .mapToObj(number -> "key " + number)
                .filter(key -> Lane.of(key, any, Lane.COUNT_DEFAULT).equals(Lane.of("key 0", any, Lane.COUNT_DEFAULT)))
                .limit(count)
                .toList();
    }

    /** Keeps one event until it is told what to say to it; acknowledges all others. Has no guard. */
    private static final class Holding implements Destination {
        private final List<String> seen = new CopyOnWriteArrayList<>();
        private final String held;
        private final AtomicReference<@Nullable CompletableFuture<Outcome>> answer;

        Holding(String held, CompletableFuture<Outcome> answer) {
            this.held = held;
            this.answer = new AtomicReference<>(answer);
        }

        List<String> seen() {
            return List.copyOf(seen);
        }

        @Override
        public Profile profile() {
            return new Profile("holding", 1, Broker.WINDOW, Duration.ofMinutes(1));
        }

        @Override
        public CompletionStage<List<Outcome>> dispatch(List<Dispatch> dispatches) {
            String text = LaneReader.text(dispatches.get(0).event());
            seen.add(text);
            CompletableFuture<Outcome> first = text.equals(held) ? answer.getAndSet(null) : null;
            return first == null
                    ? CompletableFuture.completedStage(List.of(Outcome.DELIVERED))
                    : first.thenApply(List::of);
        }

        @Override
        public CompletionStage<Void> probe() {
            return CompletableFuture.completedStage(null);
        }
    }

    @Test
    void a_retry_that_meets_an_outage_keeps_its_number() {
        Postrider<T> node = toBroker(quick());
        broker.answer(dispatch -> dispatch.attempt() == 1 ? downAfterRetry() : null);
        send(node, "ann", "a");
        eventually().holds(() -> assertThat(status(node).isUp()).isFalse());
        broker.up();
        assertAllDelivered(1);
        assertThat(broker.seen()).extracting(Destination.Dispatch::attempt).containsExactly(1, 2);
    }

    private Outcome downAfterRetry() {
        broker.down();
        return Outcome.retry("busy");
    }

    @Test
    void one_key_that_waits_for_a_retry_does_not_hide_that_the_destination_is_back() {
        Postrider<T> node = toBroker(quick());
        broker.answer(dispatch -> LaneReader.text(dispatch.event()).equals("bad") ? Outcome.dead("no such box") : null);
        broker.downAfter(1);
        send(node, "ann", "bad", "a2", "a3");
        eventually().holds(() -> assertThat(status(node).isUp()).isFalse());
        broker.up();
        assertLedger(new Counts(2, 0, 0, 1, 0, 0), 0);
        assertThat(awaitDead().error()).isEqualTo("no such box");
    }

    @Test
    void no_more_events_than_its_window_are_under_way() {
        Postrider<T> node = toBroker(quick());
        Gate gate = gate();
        broker.hold(gate);
        send(node, letters(200, 200));
        eventually().holds(() -> assertThat(broker.underWayMost()).isEqualTo(Broker.WINDOW));
        gate.open();
        assertAllDelivered(200);
        assertThat(broker.underWayMost()).isEqualTo(Broker.WINDOW);
    }

    @Test
    void a_destination_that_is_slow_within_its_patience_parks_nothing() {
        Postrider<T> node = toBroker(quick().subscriptions(s -> s.settleAfter(Duration.ofMillis(30))));
        Gate gate = gate();
        broker.hold(gate);
        node.subscribe("handled")
                .on("letter.*", (letter, context) -> gate.pass())
                .start();
        send(node, "ann", "a");
        eventually()
                .holds(() -> assertThat(
                                store.browse().ledger("handled").counts().parked())
                        .isEqualTo(1));
        assertThat(store.browse().ledger(SUBSCRIPTION).counts()).isEqualTo(Counts.NONE);
        gate.open();
        assertAllDelivered(1);
    }

    @Test
    void a_call_is_given_up_beyond_what_its_destination_may_take_and_the_destination_hears_of_it() {
        Silent silent = new Silent(Duration.ofMillis(400));
        Postrider<T> node = node(config(quick()));
        node.subscribe(SUBSCRIPTION)
                .to("letter.*", silent)
                .retry(QUICK.attempts(1))
                .limits(l -> l.handlerTimeout(Duration.ofMillis(100)))
                .start();
        long begin = System.nanoTime();
        send(node, "ann", "a");
        assertThat(awaitDead().error()).contains("no answer within handlerTimeout", "400 ms that 'silent' may take");
        assertThat(Duration.ofNanos(System.nanoTime() - begin)).isGreaterThan(Duration.ofMillis(500));
        eventually().holds(() -> assertThat(silent.call).isCancelled());
    }

    @Test
    void a_destination_is_named_by_each_subscription_that_delivers_to_it_and_its_kind() {
        Postrider<T> node = toBroker(quick());
        node.subscribe("others").to("letter.*", broker).start();
        broker.down();
        send(node, "ann", "a");
        eventually()
                .holds(() -> assertThat(node.operator().destinations())
                        .hasSize(2)
                        .noneMatch(DestinationStatus::isUp)
                        .extracting(DestinationStatus::name)
                        .containsExactly(SUBSCRIPTION + " (broker)", "others (broker)"));
        broker.up();
        assertAllDelivered(1);
        eventually()
                .holds(() -> assertThat(observed(Observation.DestinationUp.class))
                        .extracting(Observation.DestinationUp::destination)
                        .contains(SUBSCRIPTION + " (broker)", "others (broker)"));
    }

    @Test
    void an_outage_is_told_once_and_so_is_its_end() {
        Postrider<T> node = toBroker(quick());
        broker.down();
        send(node, letters(50, 50));
        eventually().holds(() -> assertThat(status(node).why()).isEqualTo("still no route to the broker"));
        broker.up();
        assertAllDelivered(50);
        eventually().holds(() -> {
            assertThat(observed(Observation.DestinationDown.class))
                    .containsExactly(
                            new Observation.DestinationDown(SUBSCRIPTION + " (broker)", "no route to the broker"));
            assertThat(observed(Observation.DestinationUp.class)).hasSize(1);
        });
        assertThat(observed(Observation.Dispatched.class))
                .allSatisfy(each -> assertThat(each.outcome()).isInstanceOf(Outcome.Delivered.class));
    }

    @Test
    void a_lost_connection_is_noticed_although_nothing_is_dispatched() {
        Postrider<T> node = toBroker(quick());
        broker.cutOff("the connection was closed");
        assertThat(status(node).why()).isIn("the connection was closed", "still no route to the broker");
        broker.up();
        eventually().holds(() -> assertThat(status(node).isUp()).isTrue());
    }

    @Test
    void the_tasks_of_a_queue_wait_for_their_destination_too() {
        Postrider<T> node = node(config(quick()));
        node.subscribe(SUBSCRIPTION)
                .to("letter.*", broker)
                .queue(Queue.DEFAULT)
                .retry(QUICK)
                .start();
        broker.downAfter(3);
        send(node, letters(20, 20));
        eventually().holds(() -> assertThat(status(node).isUp()).isFalse());
        broker.up();
        assertAllDelivered(20);
        assertThat(broker.seen()).extracting(Destination.Dispatch::attempt).containsOnly(1);
    }

    /** Takes whatever it is given, and never answers. */
    private static final class Silent implements Destination {
        private final CompletableFuture<List<Outcome>> call = new CompletableFuture<>();
        private final Duration patience;

        Silent(Duration patience) {
            this.patience = patience;
        }

        @Override
        public Profile profile() {
            return new Profile("silent", 1, 1, patience);
        }

        @Override
        public CompletionStage<List<Outcome>> dispatch(List<Dispatch> dispatches) {
            return call;
        }

        @Override
        public CompletionStage<Void> probe() {
            return CompletableFuture.completedStage(null);
        }
    }

    // ---- words ------------------------------------------------------------------------------------------------------

    private Postrider<T> toBroker(NodeLimits.Builder limits) {
        Postrider<T> node = node(config(limits));
        node.subscribe(SUBSCRIPTION).to("letter.*", broker).retry(QUICK).start();
        return node;
    }

    private static DestinationStatus status(Postrider<?> node) {
        return node.operator().destinations().get(0);
    }

    /** Numbered from zero, dealt out to this many keys. */
    private static List<Event> letters(int count, int keys) {
        return IntStream.range(0, count)
                .mapToObj(number -> letter("key-" + number % keys, Integer.toString(number)))
                .toList();
    }

    private void assertInOrder(int count, int keys) {
        List<Integer> arrived = broker.texts().stream().map(Integer::valueOf).toList();
        assertThat(arrived).hasSize(count);
        for (int key = 0; key < keys; key++) {
            List<Integer> ofKey = new ArrayList<>();
            for (int number : arrived) {
                if (number % keys == key) {
                    ofKey.add(number);
                }
            }
            assertThat(ofKey).isSorted();
        }
    }
}
