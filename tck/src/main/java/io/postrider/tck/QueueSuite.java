package io.postrider.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.Event;
import io.postrider.EventContext;
import io.postrider.Postrider;
import io.postrider.PostriderConfig;
import io.postrider.SubscriptionBuilder;
import io.postrider.operate.Counts;
import io.postrider.operate.Delivery;
import io.postrider.policy.Queue;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Queue mode: long tasks, one by one, by priority, under leases of their own. */
public abstract class QueueSuite<T> extends EngineCase<T> {
    private static final Queue QUEUE =
            Queue.DEFAULT.lease(Duration.ofMillis(1_500)).timeout(Duration.ofSeconds(30));

    @Test
    void every_event_is_a_task_and_is_done_once() {
        Postrider<T> node = node();
        Letters letters = new Letters();
        queue(node, letters, QUEUE).start();
        send(node, numberedLetters(200));
        assertAllDelivered(200);
        assertThat(letters.delivered()).doesNotHaveDuplicates().hasSize(200);
        assertThat(rows(Delivery.Status.READY)).isEmpty();
    }

    @Test
    void tasks_of_one_key_run_at_the_same_time() {
        Postrider<T> node = node();
        Gate gate = gate();
        Letters letters = new Letters().hold("a1", gate);
        queue(node, letters, QUEUE).start();
        send(node, "ann", "a1", "a2");
        assertDelivered(letters, "a2");
        gate.open();
        assertAllDelivered(2);
    }

    @Test
    void what_other_types_there_are_is_skipped() {
        Postrider<T> node = node();
        queue(node, new Letters(), QUEUE).start();
        send(node, List.of(Event.of("parcel.sent", "p"), letter("ann", "a")));
        assertLedger(new Counts(1, 1, 0, 0, 0, 0), 0);
    }

    @Test
    void higher_priorities_go_first() {
        Postrider<T> node = node(quick().subscriptions(s -> s.concurrency(1)));
        Gate gate = gate();
        Letters letters = new Letters().hold("first", gate);
        queue(node, letters, QUEUE).start();
        send(node, "ann", "first");
        eventually().holds(() -> assertThat(gate.entered()).isEqualTo(1));
        send(
                node,
                List.of(
                        letter("ann", "low").priority(-1),
                        letter("ann", "usual"),
                        letter("bob", "high").priority(1)));
        eventually().holds(() -> assertThat(rows(Delivery.Status.READY)).hasSize(3));
        gate.open();
        assertAllDelivered(4);
        assertThat(letters.started()).containsExactly("first", "high", "usual", "low");
    }

    @Test
    void a_task_that_fails_is_tried_again_and_dies_of_its_last_attempt() {
        Postrider<T> node = node();
        Letters letters = new Letters().fail("a", 2).failAlways("b");
        queue(node, letters, QUEUE).retry(QUICK.attempts(3)).start();
        send(node, "ann", "a", "b");
        assertLedger(new Counts(1, 0, 0, 1, 0, 0), 0);
        assertThat(letters.attempts("a")).containsExactly(1, 2, 3);
        assertThat(letters.attempts("b")).containsExactly(1, 2, 3);
        assertThat(awaitDead().error()).contains("undeliverable");
    }

    @Test
    void a_replayed_task_runs_again_from_its_first_attempt() {
        Postrider<T> node = node();
        Letters letters = new Letters().failAlways("a");
        queue(node, letters, QUEUE).retry(QUICK.attempts(1)).start();
        send(node, "ann", "a");
        Delivery dead = awaitDead();
        letters.heal();
        assertThat(store.operate().replay(SUBSCRIPTION, dead.position(), BY).done())
                .isTrue();
        assertAllDelivered(1);
    }

    @Test
    void a_task_outlives_its_lease_because_it_is_renewed() {
        Postrider<T> node = node();
        Gate gate = gate();
        Letters letters = new Letters().hold("long", gate);
        queue(node, letters, QUEUE.lease(Duration.ofMillis(300))).start();
        send(node, "ann", "long");
        eventually().holds(() -> assertThat(gate.entered()).isEqualTo(1));
        Letters others = new Letters();
        queue(node(), others, QUEUE.lease(Duration.ofMillis(300))).start();
        Eventually.stays(
                Duration.ofMillis(1_000), () -> assertThat(others.started()).isEmpty());
        gate.open();
        assertAllDelivered(1);
        assertThat(letters.delivered()).containsExactly("long");
    }

    @Test
    void a_task_that_runs_for_too_long_is_tried_again() {
        Postrider<T> node = node();
        Gate gate = gate();
        Letters letters = new Letters().hold("slow", gate);
        queue(node, letters, QUEUE.timeout(Duration.ofSeconds(1))).start();
        send(node, "ann", "slow");
        assertAllDelivered(1);
        assertThat(letters.attempts("slow")).containsExactly(1, 2);
    }

    @Test
    void a_task_whose_lease_ended_before_a_thread_began_it_is_not_run() {
        StandingStill environment = new StandingStill();
        Letters late = new Letters();
        queue(node(PostriderConfig.defaults().limits(attentive().build()).environment(environment)), late, QUEUE)
                .start();
        Postrider<T> next = node();
        send(next, "ann", "a");
        eventually().holds(() -> assertThat(environment.held()).isPositive());
        environment.standStill();
        queue(next, new Letters(), QUEUE).start();
        assertAllDelivered(1);
        environment.goOn();
        Eventually.stays(
                Duration.ofMillis(500), () -> assertThat(late.started()).isEmpty());
    }

    @Test
    void no_more_tasks_run_at_once_than_allowed_in_all_and_of_a_type() {
        Postrider<T> node = node(quick().subscriptions(s -> s.concurrency(4)));
        Running running = new Running();
        node.subscribe(SUBSCRIPTION)
                .on("**", running::handle)
                .queue(QUEUE.concurrency("render", 1))
                .start();
        List<Event> events = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            events.add(Event.of("render", i));
            events.add(Event.of("index", i));
        }
        send(node, events);
        assertAllDelivered(24);
        assertThat(running.most("render")).isEqualTo(1);
        assertThat(running.most("index")).isBetween(2, 4);
        assertThat(running.mostAtOnce()).isLessThanOrEqualTo(4);
    }

    @Test
    void no_more_tasks_begin_in_a_second_than_allowed() {
        Postrider<T> node = node();
        List<Instant> begun = Collections.synchronizedList(new ArrayList<>());
        node.subscribe(SUBSCRIPTION)
                .on("**", (payload, context) -> begun.add(Instant.now()))
                .queue(QUEUE.perSecond(20))
                .start();
        send(node, numberedLetters(50));
        assertAllDelivered(50);
        List<Instant> sorted = begun.stream().sorted().toList();
        // Of fifty, twenty may have been saved up; the other thirty take a second and a half.
        assertThat(Duration.between(sorted.get(0), sorted.get(49))).isGreaterThan(Duration.ofMillis(1_200));
    }

    @Test
    void a_task_is_not_begun_before_its_time_nor_after_another() {
        Postrider<T> node = node();
        Letters letters = new Letters();
        queue(node, letters, QUEUE).start();
        Instant wanted = Instant.now().plusSeconds(2);
        send(
                node,
                List.of(
                        letter("ann", "later").deliverAt(wanted),
                        letter("ann", "too late").expiresAt(Instant.now().minusSeconds(1)),
                        letter("ann", "now")));
        assertLedger(new Counts(2, 0, 0, 0, 1, 0), 0);
        assertThat(letters.started()).containsExactly("now", "later");
        assertThat(letters.startedAt("later")).isAfterOrEqualTo(wanted);
    }

    @Test
    void a_queue_that_is_full_leaves_the_rest_in_the_log() {
        Postrider<T> node = node(quick().subscriptions(s -> s.concurrency(1)));
        Gate gate = gate();
        Letters letters = new Letters().hold("n1", gate);
        queue(node, letters, QUEUE.most(10)).start();
        send(node, "ann", numbered("n", 1));
        eventually().holds(() -> assertThat(gate.entered()).isEqualTo(1));
        for (int i = 2; i <= 40; i++) {
            send(node, "key-" + i, "n" + i);
        }
        Eventually.stays(
                Duration.ofMillis(500),
                () -> assertThat(rows(Delivery.Status.READY).size()).isLessThan(30));
        gate.open();
        assertAllDelivered(40);
    }

    @Test
    void a_node_that_stops_finishes_its_tasks_and_others_take_the_rest() {
        Postrider<T> first = node();
        Gate gate = gate();
        Letters letters = new Letters().hold("a", gate);
        queue(first, letters, QUEUE).start();
        send(first, "ann", "a");
        eventually().holds(() -> assertThat(gate.entered()).isEqualTo(1));
        Letters others = new Letters();
        Postrider<T> second = node();
        queue(second, others, QUEUE).start();
        Thread closing = new Thread(first::close);
        closing.start();
        send(second, "ann", "b");
        eventually()
                .holds(() -> assertThat(List.of(letters, others))
                        .anySatisfy(each -> assertThat(each.delivered()).contains("b")));
        gate.open();
        assertAllDelivered(2);
        eventually().holds(() -> assertThat(closing.isAlive()).isFalse());
        assertThat(letters.delivered()).contains("a");
        assertThat(others.started()).doesNotContain("a");
    }

    @Test
    void under_overload_every_task_is_done_or_shown_as_expired() {
        Postrider<T> node = node(quick().subscriptions(s -> s.concurrency(1)));
        AtomicInteger done = new AtomicInteger();
        subscribeSlow(node, done);
        Instant expiry = Instant.now().plusMillis(700);
        send(
                node,
                numberedLetters(200).stream()
                        .map(event -> event.expiresAt(expiry))
                        .toList());
        eventually().holds(() -> {
            Counts now = store.browse().ledger(SUBSCRIPTION).counts();
            assertThat(now.delivered() + now.expired()).isEqualTo(200);
        });
        Counts counts = store.browse().ledger(SUBSCRIPTION).counts();
        assertThat(counts.expired())
                .isPositive()
                .isEqualTo(rows(Delivery.Status.EXPIRED).size());
        assertThat(counts.delivered()).isEqualTo(done.get());
    }

    @Test
    void with_capacity_to_spare_nothing_expires() {
        Postrider<T> node = node();
        AtomicInteger done = new AtomicInteger();
        subscribeSlow(node, done);
        Instant expiry = Instant.now().plusSeconds(60);
        send(
                node,
                numberedLetters(200).stream()
                        .map(event -> event.expiresAt(expiry))
                        .toList());
        assertAllDelivered(200);
    }

    private void subscribeSlow(Postrider<T> node, AtomicInteger done) {
        node.subscribe(SUBSCRIPTION)
                .on("letter.*", (payload, context) -> {
                    Thread.sleep(10);
                    done.incrementAndGet();
                })
                .queue(QUEUE)
                .start();
    }

    private static List<Event> numberedLetters(int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> letter("key-" + i, "n" + i))
                .toList();
    }

    private static SubscriptionBuilder<?> queue(Postrider<?> node, Letters letters, Queue queue) {
        return letters(node, letters).queue(queue);
    }

    /** How many run at once, in all and of each type. */
    private static final class Running {
        private final Map<String, AtomicInteger> now = new ConcurrentHashMap<>();
        private final Map<String, AtomicInteger> most = new ConcurrentHashMap<>();

        void handle(String payload, EventContext context) throws InterruptedException {
            enter(context.type());
            enter("all");
            Thread.sleep(20);
            leave("all");
            leave(context.type());
        }

        private void enter(String type) {
            int running = of(now, type).incrementAndGet();
            of(most, type).accumulateAndGet(running, Math::max);
        }

        private void leave(String type) {
            of(now, type).decrementAndGet();
        }

        int most(String type) {
            return of(most, type).get();
        }

        private static AtomicInteger of(Map<String, AtomicInteger> counts, String type) {
            return counts.computeIfAbsent(type, any -> new AtomicInteger());
        }

        int mostAtOnce() {
            return most("all");
        }
    }
}
