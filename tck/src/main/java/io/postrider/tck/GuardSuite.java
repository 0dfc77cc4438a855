package io.postrider.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.Environment;
import io.postrider.Event;
import io.postrider.EventFilter;
import io.postrider.Lane;
import io.postrider.Postrider;
import io.postrider.StoredEvent;
import io.postrider.destination.Outcome;
import io.postrider.engine.base.SystemEnvironment;
import io.postrider.engine.dispatch.Circuit;
import io.postrider.observe.Observation;
import io.postrider.operate.Counts;
import io.postrider.operate.Delivery;
import io.postrider.operate.Operate;
import io.postrider.policy.NodeLimits;
import io.postrider.store.Page;
import io.postrider.store.Seals;
import io.postrider.store.Store;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A destination that acknowledges and then loses: what is gone is found, and dispatched again. */
public abstract class GuardSuite<T> extends EngineCase<T> {
    private final Broker broker = new Broker();

    @Test
    void what_was_acknowledged_and_lost_during_an_outage_is_dispatched_again_in_order() {
        Postrider<T> node = toBroker(quick());
        sendEach(node, letters(0, 200));
        assertAllDelivered(200);
        broker.cutOff("the power failed");
        broker.keepOnly(120);
        broker.up();
        eventually().holds(() -> assertThat(broker.texts()).hasSize(200));
        assertAllDelivered(200);
        assertInOrder(200);
        assertThat(rows(Delivery.Status.WAITING)).isEmpty();
        assertThat(unsealed()).isGreaterThanOrEqualTo(80);
    }

    @Test
    void numbers_that_were_used_again_deceive_nobody() {
        Postrider<T> node = toBroker(quick());
        sendEach(node, letters(0, 60));
        assertAllDelivered(60);
        broker.cutOff("the power failed");
        broker.keepOnly(20);
        broker.fill(100);
        broker.up();
        eventually().holds(() -> assertThat(broker.texts()).hasSize(160));
        assertAllDelivered(60);
    }

    @Test
    void what_a_server_had_already_does_not_hide_what_it_loses_next() {
        Postrider<T> node = toBroker(quick());
        String early = "early";
        String all = keyInTheLaneOf(early);
        send(node, letters(0, 74, number -> number >= 1 && number <= 10 ? early : all));
        assertAllDelivered(74);
        for (int crash = 0; crash < 2; crash++) {
            broker.cutOff("the power failed");
            broker.keepOnly(20);
            broker.up();
            eventually().holds(() -> assertThat(broker.texts()).hasSize(74));
            assertAllDelivered(74);
        }
    }

    @Test
    void nothing_new_overtakes_what_was_lost() {
        Postrider<T> node = toBroker(quick());
        sendEach(node, letters(0, 100));
        assertAllDelivered(100);
        broker.cutOff("the power failed");
        broker.keepOnly(10);
        send(node, letters(100, 200));
        broker.up();
        eventually().holds(() -> assertThat(broker.texts()).hasSize(200));
        assertAllDelivered(200);
        assertInOrder(200);
    }

    @Test
    void whoever_takes_a_lane_over_looks_first_what_its_destination_has() {
        Postrider<T> first = toBroker(quick());
        sendEach(first, letters(0, 50));
        assertAllDelivered(50);
        first.close();
        broker.keepOnly(0);
        toBroker(quick());
        eventually().holds(() -> assertThat(broker.texts()).hasSize(50));
        assertAllDelivered(50);
        assertInOrder(50);
    }

    @Test
    void a_node_that_ends_while_lost_events_are_parked_leaves_the_rest_to_the_next() {
        Postrider<T> first = toBroker(quick());
        sendEach(first, letters(0, 100));
        assertAllDelivered(100);
        broker.cutOff("the power failed");
        broker.keepOnly(5);
        broker.answer(dispatch -> Outcome.retry("busy"));
        broker.up();
        eventually().holds(() -> assertThat(unsealed()).isGreaterThanOrEqualTo(95));
        first.close();
        broker.answer(dispatch -> null);
        toBroker(quick());
        eventually().holds(() -> assertThat(broker.texts()).hasSize(100));
        assertAllDelivered(100);
        assertInOrder(100);
    }

    @Test
    void an_outage_without_a_loss_dispatches_nothing_again() {
        Postrider<T> node = toBroker(quick());
        sendEach(node, letters(0, 80));
        assertAllDelivered(80);
        broker.cutOff("somebody pulled a cable");
        broker.up();
        send(node, letters(80, 90));
        assertAllDelivered(90);
        assertThat(broker.seen()).hasSize(90);
        assertThat(unsealed()).isZero();
    }

    @Test
    void what_was_lost_longer_ago_than_the_guard_looks_back_stays_lost() {
        Postrider<T> node = toBroker(quick().subscriptions(s -> s.guardedFor(Duration.ZERO)));
        send(node, "ann", "0");
        assertAllDelivered(1);
        broker.cutOff("the power failed");
        broker.keepOnly(0);
        broker.up();
        send(node, "ann", "1");
        assertAllDelivered(2);
        assertThat(broker.texts()).containsExactly("1");
    }

    @Test
    void an_event_that_was_dead_is_not_among_the_lost() {
        Postrider<T> node = toBroker(quick());
        broker.answer(dispatch -> LaneReader.text(dispatch.event()).equals("1") ? Outcome.dead("no such box") : null);
        sendEach(node, letters(0, 3));
        assertLedger(new Counts(2, 0, 0, 1, 0, 0), 0);
        broker.cutOff("the power failed");
        broker.keepOnly(0);
        broker.up();
        eventually().holds(() -> assertThat(broker.texts()).hasSize(2));
        assertLedger(new Counts(2, 0, 0, 1, 0, 0), 0);
    }

    @Test
    void a_lost_event_that_an_operator_replays_meanwhile_is_counted_once() {
        Postrider<T> node = toBroker(quick());
        sendEach(node, letters(0, 10));
        assertAllDelivered(10);
        broker.down();
        send(node, letters(10, 11));
        eventually()
                .holds(() ->
                        assertThat(observed(Observation.DestinationDown.class)).isNotEmpty());
        broker.keepOnly(0);
        replay(3);
        replay(7);
        broker.up();
        eventually().holds(() -> assertThat(broker.texts()).hasSize(11));
        assertAllDelivered(11);
    }

    @Test
    void a_lost_event_that_was_delivered_twice_is_counted_once() {
        Postrider<T> node = toBroker(quick());
        sendEach(node, letters(0, 10));
        assertAllDelivered(10);
        replay(3);
        eventually().holds(() -> assertThat(broker.seen()).hasSize(11));
        assertAllDelivered(10);
        broker.cutOff("the power failed");
        broker.keepOnly(0);
        broker.up();
        eventually().holds(() -> assertThat(broker.texts()).hasSize(10));
        assertAllDelivered(10);
    }

    @Test
    void a_lost_event_whose_row_only_the_store_knows_is_counted_once() {
        Postrider<T> first = toBroker(quick());
        send(first, "ann", "0");
        assertAllDelivered(1);
        first.close();
        broker.keepOnly(0);
        AtomicBoolean asked = new AtomicBoolean();
        Postrider<T> second = Postrider.on(
                calling((method, call) -> {
                    Object answer = call.now();
                    if (StorePorts.is(method, Seals.class, "events") && asked.compareAndSet(false, true)) {
                        replay(0);
                    }
                    return answer;
                }),
                config(quick()));
        closeAtEnd(second);
        subscribe(second);
        eventually().holds(() -> assertThat(broker.texts()).hasSize(1));
        assertAllDelivered(1);
    }

    @Test
    void an_outage_while_the_store_is_asked_is_noticed_before_anything_is_dispatched() {
        AtomicBoolean outage = new AtomicBoolean();
        Store<T> slow = calling((method, call) -> {
            Object answer = call.now();
            if (answer instanceof Page page && !page.events().isEmpty() && outage.compareAndSet(true, false)) {
                loseEverything();
            }
            return answer;
        });
        assertNothingLostBy(Postrider.on(slow, config(quick())), outage);
    }

    @Test
    void an_outage_while_a_batch_waits_for_a_thread_is_noticed_before_anything_is_dispatched() {
        AtomicBoolean outage = new AtomicBoolean();
        SystemEnvironment system = new SystemEnvironment();
        Executor slow = task -> system.handlers().execute(() -> {
            if (outage.compareAndSet(true, false)) {
                loseEverything();
            }
            task.run();
        });
        Environment environment = (Environment) StorePorts.on(
                Environment.class, system, (method, call) -> method.getName().equals("handlers") ? slow : call.now());
        assertNothingLostBy(Postrider.on(fixture.another(), config(quick()).environment(environment)), outage);
    }

    private void assertNothingLostBy(Postrider<T> node, AtomicBoolean outage) {
        closeAtEnd(node);
        subscribe(node);
        sendEach(node, letters(0, 50));
        assertAllDelivered(50);
        outage.set(true);
        send(node, letters(50, 51));
        eventually().holds(() -> assertThat(broker.texts()).hasSize(51));
        assertAllDelivered(51);
        assertInOrder(51);
    }

    /** The broker is down and has lost everything when it takes events again. */
    private void loseEverything() {
        broker.cutOff("the power failed");
        broker.keepOnly(0);
        broker.up();
        eventually()
                .holds(() ->
                        assertThat(observed(Observation.DestinationUp.class)).isNotEmpty());
    }

    /** What an operator does to a letter that was delivered. */
    private void replay(int number) {
        StoredEvent letter = store.search().events(EventFilter.ALL, null, 100).events().stream()
                .filter(event -> LaneReader.text(event).equals(Integer.toString(number)))
                .findFirst()
                .orElseThrow();
        assertThat(store.operate().replayDelivered(SUBSCRIPTION, letter.position(), BY))
                .isEqualTo(Operate.Answer.DONE);
    }

    @Test
    void a_question_without_an_answer_is_an_outage_that_is_told_once_and_is_asked_again() {
        Postrider<T> first = toBroker(quick());
        sendEach(first, letters(0, 7));
        assertAllDelivered(7);
        first.close();
        int lanes = (int) IntStream.range(0, 7)
                .mapToObj(number -> Lane.of("key-" + number, drawId(), store.lanes()))
                .distinct()
                .count();
        broker.loseAnswers(lanes);
        Queue<Runnable> overdue = new ConcurrentLinkedQueue<>();
        Postrider<T> second =
                Postrider.on(fixture.another(), config(quick()).environment(keeping(Circuit.ANSWER_WITHIN, overdue)));
        closeAtEnd(second);
        subscribe(second);
        send(second, letters(7, 14));
        eventually().holds(() -> {
            assertThat(broker.unanswered()).isZero();
            assertThat(overdue).hasSizeGreaterThanOrEqualTo(lanes);
        });
        assertThat(broker.texts()).hasSize(7);
        overdue.forEach(Runnable::run);
        assertAllDelivered(14);
        assertInOrder(14);
        assertThat(observed(Observation.DestinationDown.class))
                .hasSize(1)
                .allSatisfy(down -> assertThat(down.why()).contains("cannot be verified", "no answer within 30 s"));
    }

    /** What is scheduled for after this time is kept, and is not done unless the test does it. */
    private static Environment keeping(Duration time, Queue<Runnable> kept) {
        Environment.Timer timer = () -> {};
        return (Environment) StorePorts.on(Environment.class, new SystemEnvironment(), (method, call) -> {
            if (method.getName().equals("schedule") && call.arguments()[0].equals(time)) {
                kept.add((Runnable) call.arguments()[1]);
                return timer;
            }
            return call.now();
        });
    }

    // ---- words ------------------------------------------------------------------------------------------------------

    private Postrider<T> toBroker(NodeLimits.Builder limits) {
        Postrider<T> node = node(config(limits));
        subscribe(node);
        return node;
    }

    private void subscribe(Postrider<T> node) {
        node.subscribe(SUBSCRIPTION).to("letter.*", broker).retry(QUICK).start();
    }

    /** Numbered, dealt out to seven keys. */
    private static List<Event> letters(int from, int to) {
        return letters(from, to, number -> "key-" + number % 7);
    }

    private static List<Event> letters(int from, int to, IntFunction<String> key) {
        return IntStream.range(from, to)
                .mapToObj(number -> letter(key.apply(number), Integer.toString(number)))
                .toList();
    }

    /** Another key of the same lane, so that both are parked and dispatched by one. */
    private static String keyInTheLaneOf(String key) {
        return Stream.iterate(0, number -> number + 1)
                .map(number -> "key-" + number)
                .filter(other ->
                        Lane.of(other, drawId(), Lane.COUNT_DEFAULT).equals(Lane.of(key, drawId(), Lane.COUNT_DEFAULT)))
                .findFirst()
                .orElseThrow();
    }

    /** In several transactions, so that there are several settlements. */
    private void sendEach(Postrider<T> node, List<Event> letters) {
        letters.forEach(letter -> send(node, List.of(letter)));
    }

    private int unsealed() {
        return observed(Observation.Unsealed.class).stream()
                .mapToInt(Observation.Unsealed::events)
                .sum();
    }

    private void assertInOrder(int count) {
        Collection<List<Integer>> byKey = broker.texts().stream()
                .map(Integer::valueOf)
                .collect(Collectors.groupingBy(number -> number % 7))
                .values();
        assertThat(byKey).allSatisfy(ofKey -> assertThat(ofKey).isSorted());
        assertThat(byKey.stream().mapToInt(List::size).sum()).isEqualTo(count);
    }
}
