package io.postrider.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.Event;
import io.postrider.Lane;
import io.postrider.Postrider;
import io.postrider.PostriderConfig;
import io.postrider.observe.Observation;
import io.postrider.operate.Counts;
import io.postrider.operate.Delivery;
import io.postrider.operate.Ledger;
import io.postrider.operate.Operate;
import io.postrider.policy.AfterDead;
import io.postrider.policy.Queue;
import io.postrider.policy.RetryPolicy;
import io.postrider.store.Tasks;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What nodes do when an operator pauses a subscription, drains one of them or lets a key go. */
public abstract class PauseSuite<T> extends EngineCase<T> {
    private final Seen seen = new Seen();

    @Test
    void nothing_of_a_paused_subscription_is_dispatched_and_nothing_of_it_is_lost() {
        Postrider<T> node = node(seen.of("node"));
        Letters letters = new Letters();
        letters(node, letters).start();
        send(node, "ann", "a1");
        assertDelivered(letters, "a1");
        pauseSeen();
        send(node, "ann", "a2");
        send(node, keyApartFrom("ann"), "b1");
        assertLedger(new Counts(1, 0, 0, 0, 0, 0), 2);
        assertThat(letters.started()).containsExactly("a1");
        assertThat(store.operate().resume(SUBSCRIPTION, BY).done()).isTrue();
        assertAllDelivered(3);
    }

    @Test
    void what_was_skipped_before_a_pause_is_settled_while_it_lasts() {
        Postrider<T> node = node(config(attentive().subscriptions(s -> s.settleQuietEvery(LONG_LEASE))));
        letters(node, new Letters()).start();
        send(node, List.of(Event.of("parcel.sent", "p1").key("ann")));
        eventually()
                .holds(() -> assertThat(observed(Observation.Settled.class))
                        .extracting(settled -> settled.change().skipped())
                        .contains(1L));
        assertThat(store.browse().ledger(SUBSCRIPTION)).isEqualTo(new Ledger(Counts.NONE, 1));
        assertThat(store.operate().pause(SUBSCRIPTION, BY).done()).isTrue();
        assertLedger(new Counts(0, 1, 0, 0, 0, 0), 0);
    }

    @Test
    void what_runs_when_it_is_paused_goes_on_to_its_end_and_its_followers_are_not_parked() {
        Postrider<T> node = node(seen.of("node"));
        Gate gate = gate();
        Letters letters = new Letters().hold("a1", gate);
        letters(node, letters)
                .limits(l -> l.settleAfter(LONG_LEASE).handlerTimeout(LONG_LEASE))
                .start();
        send(node, "ann", "a1", "a2", "a3");
        eventually().holds(() -> assertThat(gate.entered()).isEqualTo(1));
        seen.onPause = () -> {
            gate.open();
            eventually().holds(() -> assertThat(letters.delivered()).contains("a1"));
            whoeverBeginsMoreDoesSoNow();
        };
        pauseSeen();
        assertLedger(new Counts(1, 0, 0, 0, 0, 0), 2);
        assertThat(letters.started()).containsExactly("a1");
        assertThat(store.operate().resume(SUBSCRIPTION, BY).done()).isTrue();
        assertAllDelivered(3);
        assertThat(letters.delivered("ann")).containsExactly("a1", "a2", "a3");
    }

    @Test
    void a_paused_subscription_makes_no_more_of_its_immediate_attempts() {
        Postrider<T> node = node(seen.of("node"));
        AtomicInteger attempts = new AtomicInteger();
        node.subscribe(SUBSCRIPTION)
                .on("letter.*", (letter, context) -> {
                    attempts.incrementAndGet();
                    Thread.sleep(1);
                    throw new IllegalStateException("not today");
                })
                .retry(RetryPolicy.DEFAULT.attempts(1_000_000).immediate(1_000_000))
                .limits(l -> l.settleAfter(LONG_LEASE).handlerTimeout(LONG_LEASE))
                .start();
        send(node, "ann", "a1");
        eventually().holds(() -> assertThat(attempts).hasPositiveValue());
        AtomicInteger before = new AtomicInteger();
        seen.onPause = () -> before.set(attempts.get());
        pauseSeen();
        assertLedger(new Counts(0, 0, 1, 0, 0, 0), 0);
        assertThat(attempts.get()).isBetween(before.get(), before.get() + 1);
    }

    @Test
    void a_node_that_takes_part_again_finds_it_paused() {
        Letters atFirst = new Letters();
        Postrider<T> first = node(seen.of("first"));
        letters(first, atFirst).start();
        eventually().holds(() -> assertThat(seen.lanes).containsEntry("first", Lane.COUNT_DEFAULT));
        Postrider<T> second = node(seen.of("second"));
        second.subscribe(SUBSCRIPTION)
                .on("letter.*", String.class, new Letters())
                .on("parcel.*", (payload, context) -> {})
                .start();
        eventually()
                .holds(() -> assertThat(seen.lanes)
                        .containsEntry("second", Lane.COUNT_DEFAULT)
                        .containsEntry("first", 0));
        pauseSeen();
        seen.lanes.clear();
        send(
                first,
                IntStream.range(0, 100)
                        .mapToObj(number -> letter("key-" + number, "a" + number))
                        .toList());
        second.close();
        Postrider<T> third = node(seen.of("third"));
        letters(third, new Letters()).start();
        third.close();
        eventually().holds(() -> assertThat(seen.lanes).containsEntry("first", Lane.COUNT_DEFAULT));
        whoeverBeginsMoreDoesSoNow();
        assertThat(atFirst.started()).isEmpty();
        assertThat(store.operate().resume(SUBSCRIPTION, BY).done()).isTrue();
        assertAllDelivered(100);
    }

    @Test
    void a_node_that_starts_later_finds_it_paused() {
        Letters letters = new Letters();
        register();
        assertThat(store.operate().pause(SUBSCRIPTION, BY).done()).isTrue();
        Postrider<T> node = node(seen.of("node"));
        letters(node, letters).start();
        send(node, "ann", "a1");
        eventually().holds(() -> assertThat(seen.paused).isTrue());
        assertThat(letters.started()).isEmpty();
        assertThat(store.operate().resume(SUBSCRIPTION, BY).done()).isTrue();
        assertAllDelivered(1);
    }

    @Test
    void a_paused_queue_claims_no_task() {
        Postrider<T> node = node(seen.of("node"));
        Letters letters = new Letters();
        letters(node, letters).queue(Queue.DEFAULT).start();
        send(node, "ann", "a1");
        assertDelivered(letters, "a1");
        pauseSeen();
        send(node, "ann", "a2");
        assertLedger(new Counts(1, 0, 0, 0, 0, 0), 1);
        assertThat(store.operate().resume(SUBSCRIPTION, BY).done()).isTrue();
        assertAllDelivered(2);
    }

    @Test
    void a_drained_node_hands_its_lanes_to_the_others_and_takes_them_back_when_it_may() {
        Letters letters = new Letters();
        Postrider<T> first = node(seen.of("first"));
        letters(first, letters).start();
        Postrider<T> second = node(seen.of("second"));
        letters(second, letters).start();
        int half = Lane.COUNT_DEFAULT / 2;
        eventually().holds(() -> assertThat(seen.lanes).isEqualTo(Map.of("first", half, "second", half)));
        String id = nodeNamed("first");
        assertThat(store.operate().drain(id, BY).done()).isTrue();
        eventually().holds(() -> assertThat(seen.lanes).isEqualTo(Map.of("first", 0, "second", Lane.COUNT_DEFAULT)));
        send(first, "ann", "a1");
        assertDelivered(letters, "a1");
        assertThat(store.operate().undrain(id, BY).done()).isTrue();
        eventually().holds(() -> assertThat(seen.lanes).isEqualTo(Map.of("first", half, "second", half)));
    }

    @Test
    void a_released_key_goes_on_and_its_dead_event_can_still_be_replayed() {
        Postrider<T> node = node(seen.of("node"));
        Letters letters = new Letters().failAlways("a1");
        letters(node, letters)
                .retry(QUICK.attempts(2))
                .afterDead(AfterDead.STAY_BLOCKED)
                .start();
        send(node, "ann", "a1", "a2");
        assertLedger(new Counts(0, 0, 1, 1, 0, 0), 0);
        assertThat(store.operate().releaseKey(SUBSCRIPTION, "ann", BY).done()).isTrue();
        assertLedger(new Counts(1, 0, 0, 1, 0, 0), 0);
        send(node, "ann", "a3");
        assertLedger(new Counts(2, 0, 0, 1, 0, 0), 0);
        letters.heal();
        assertThat(store.operate()
                        .replay(SUBSCRIPTION, awaitDead().position(), BY)
                        .done())
                .isTrue();
        assertAllDelivered(3);
        assertThat(letters.delivered("ann")).containsExactly("a2", "a3", "a1");
    }

    @Test
    void a_task_that_was_claimed_before_a_pause_was_heard_of_goes_back_and_costs_no_attempt() {
        Gate claimed = gate();
        Postrider<T> node = Postrider.on(
                calling((method, call) -> {
                    Object answer = call.now();
                    if (StorePorts.is(method, Tasks.class, "claim") && !((List<?>) answer).isEmpty()) {
                        claimed.pass();
                    }
                    return answer;
                }),
                config(attentive()));
        closeAtEnd(node);
        Letters letters = new Letters();
        letters(node, letters).queue(Queue.DEFAULT).start();
        send(node, "ann", "a");
        eventually().holds(() -> assertThat(claimed.entered()).isEqualTo(1));
        assertThat(store.operate().pause(SUBSCRIPTION, BY).done()).isTrue();
        eventually().holds(() -> assertThat(observed(Observation.Paused.class)).hasSize(1));
        claimed.open();
        eventually().holds(() -> assertThat(rows(Delivery.Status.WAITING)).hasSize(1));
        assertThat(rows(Delivery.Status.WAITING).get(0).attempt()).isZero();
        assertThat(letters.started()).isEmpty();
        assertThat(store.operate().resume(SUBSCRIPTION, BY).done()).isTrue();
        assertAllDelivered(1);
        assertThat(letters.attempts("a")).containsExactly(1);
    }

    @Test
    void an_edited_event_is_delivered_to_the_subscription_it_was_edited_for_and_skipped_by_others() {
        Postrider<T> node = node(seen.of("node"));
        Letters letters = new Letters().failAlways("a1");
        letters(node, letters).retry(QUICK.attempts(1)).start();
        Letters others = new Letters();
        node.subscribe("others").on("letter.*", String.class, others).start();
        send(node, "ann", "a1");
        Operate.Edit edit = Operate.Edit.of(drawId()).payload("\"a1 mended\"");
        assertThat(store.operate()
                        .edit(SUBSCRIPTION, awaitDead().position(), edit, BY)
                        .done())
                .isTrue();
        assertLedger(new Counts(1, 0, 0, 0, 0, 1), 0);
        assertThat(letters.delivered()).containsExactly("a1 mended");
        eventually()
                .holds(() -> assertThat(store.browse().ledger("others"))
                        .isEqualTo(new Ledger(new Counts(1, 1, 0, 0, 0, 0), 0)));
        assertThat(others.delivered()).containsExactly("a1");
    }

    // ---- what the tests do ------------------------------------------------------------------------------------------

    /** Pauses, and waits until the node has heard of it. */
    private void pauseSeen() {
        assertThat(store.operate().pause(SUBSCRIPTION, BY).done()).isTrue();
        assertThat(store.operate().paused()).containsExactly(SUBSCRIPTION);
        eventually().holds(() -> assertThat(seen.paused).isTrue());
    }

    private static void whoeverBeginsMoreDoesSoNow() {
        try {
            Thread.sleep(50);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private String nodeNamed(String name) {
        return store.operate().nodes().stream()
                .map(Operate.Member::id)
                .filter(id -> id.startsWith(name + "-"))
                .findFirst()
                .orElseThrow();
    }

    /** What nodes say of themselves. */
    private static final class Seen {
        final Map<String, Integer> lanes = new ConcurrentHashMap<>();
        volatile Runnable onPause = () -> {};
        volatile boolean paused;

        PostriderConfig of(String node) {
            return PostriderConfig.defaults()
                    .node(node)
                    .limits(attentive().build())
                    .observer(observation -> observe(node, observation));
        }

        private void observe(String node, Observation observation) {
            if (observation instanceof Observation.Shared shared) {
                lanes.put(node, shared.lanes());
            } else if (observation instanceof Observation.Paused pause) {
                if (pause.paused()) {
                    onPause.run();
                }
                paused = pause.paused();
            }
        }
    }
}
