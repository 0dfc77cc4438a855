package io.postrider.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.Event;
import io.postrider.EventContext;
import io.postrider.EventFilter;
import io.postrider.EventId;
import io.postrider.Postrider;
import io.postrider.PostriderConfig;
import io.postrider.SubscriptionBuilder;
import io.postrider.Transact;
import io.postrider.observe.Observation;
import io.postrider.operate.Counts;
import io.postrider.operate.Delivery;
import io.postrider.policy.Start;
import io.postrider.store.Renew;
import io.postrider.store.StoreException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * What holds for handlers whose effects are in the store's own database, however their settlements are written. Each
 * event has one effect, named as its text.
 *
 * @param <T> the store's transaction handle
 */
abstract class EffectCase<T> extends EngineCase<T> {
    /** Texts of events whose transactions cannot be committed. */
    private final Set<String> refused = ConcurrentHashMap.newKeySet();

    /** Texts of events whose transactions break while they are handled, and how often they do. */
    private final Map<String, AtomicInteger> breaking = new ConcurrentHashMap<>();

    /** Texts of events whose handlers call another store, which does not answer. */
    private final Set<String> elsewhere = ConcurrentHashMap.newKeySet();

    private final AtomicReference<@Nullable Postrider<T>> appending = new AtomicReference<>();
    /** What handlers do to their transactions, though they may not; one of these for each call. */
    private final Queue<Consumer<T>> ending = new ConcurrentLinkedQueue<>();

    /** Letters with an effect each, in the form under test; not started yet. */
    abstract SubscriptionBuilder<T> effects(Postrider<T> node, Letters letters);

    /** The number of the attempt when an event that came with others is handled for the n-th time. */
    int attempt(int time) {
        return time;
    }

    /** First the effect, so that a handler which fails has had it. */
    final void handle(T transaction, String text, EventContext context, Letters letters) throws Exception {
        fixture.effect(transaction, text);
        if (refused.contains(text)) {
            fixture.refusedAtCommit(transaction);
        }
        if (elsewhere.contains(text)) {
            throw new StoreException("no connection to the other");
        }
        AtomicInteger breaks = breaking.get(text);
        if (breaks != null && breaks.getAndDecrement() > 0) {
            fixture.breakOff(transaction);
            fixture.effect(transaction, text);
        }
        Postrider<T> node = appending.get();
        if (node != null) {
            node.outbox()
                    .append(
                            transaction,
                            Event.of("parcel.sent", "because of " + text).key("bob"));
        }
        Consumer<T> end = ending.poll();
        if (end != null) {
            end.accept(transaction);
        }
        letters.handle(text, context);
    }

    // ---- a store that goes away -------------------------------------------------------------------------------------

    @Test
    void a_store_that_gives_no_transaction_costs_no_attempt() {
        AtomicInteger away = new AtomicInteger(10);
        Postrider<T> node = Postrider.on(
                calling((method, call) -> {
                    if (StorePorts.is(method, Transact.class, "transact") && away.getAndDecrement() > 0) {
                        throw new StoreException("no connection");
                    }
                    return call.now();
                }),
                config(quick()));
        closeAtEnd(node);
        send(node(), "ann", "a", "b", "c");
        Letters letters = new Letters();
        effects(node, letters).retry(QUICK.attempts(1)).start();
        assertAllDelivered(3);
        assertThat(fixture.effects()).containsExactly("a", "b", "c");
        assertThat(away).hasNonPositiveValue();
    }

    @Test
    void a_store_that_goes_away_under_a_handler_costs_no_attempt() {
        Postrider<T> node = node();
        Letters letters = new Letters();
        breaking.put("broken", new AtomicInteger(2));
        effects(node, letters).retry(QUICK.attempts(1)).start();
        send(node, "ann", "before", "broken", "after");
        assertAllDelivered(3);
        assertThat(fixture.effects()).containsExactly("before", "broken", "after");
        assertThat(letters.attempts("broken")).containsExactly(1);
        assertThat(breaking.get("broken")).hasNonPositiveValue();
    }

    @Test
    void an_event_that_breaks_its_transaction_each_time_dies_alone() {
        Postrider<T> node = node(config(quick()));
        Letters letters = new Letters();
        AtomicInteger breaks = new AtomicInteger(1_000);
        breaking.put("bad", breaks);
        effects(node, letters).retry(QUICK.attempts(2)).start();
        List<String> keys = keysBeside("ann", 3);
        send(
                node,
                List.of(
                        letter(keys.get(0), "before"),
                        letter(keys.get(1), "bad"),
                        letter(keys.get(2), "after"),
                        letter(keys.get(1), "follower")));
        assertLedger(new Counts(3, 0, 0, 1, 0, 0), 0);
        assertThat(awaitDead().attempt()).isEqualTo(2);
        assertThat(fixture.effects()).containsExactlyInAnyOrder("before", "after", "follower");
        assertThat(1_000 - breaks.get())
                .as("three that do not count, two that do")
                .isLessThanOrEqualTo(6);
    }

    @Test
    void a_store_that_somebody_else_has_and_that_goes_away_is_the_fault_of_the_event() {
        Postrider<T> node = node();
        elsewhere.add("bad");
        effects(node, new Letters()).retry(QUICK.attempts(1)).start();
        send(node, "ann", "bad", "good");
        assertLedger(new Counts(1, 0, 0, 1, 0, 0), 0);
        assertThat(awaitDead().error()).contains("no connection to the other");
    }

    // ---- a record that is not committed yet -------------------------------------------------------------------------

    @Test
    void a_record_that_another_transaction_holds_costs_no_attempt_and_only_its_key_waits() throws Exception {
        store.subscriptions().register(SUBSCRIPTION, Start.beginning(), "letter.*"); // of nodes that keep records
        List<String> keys = keysBeside("ann", 2);
        send(node(), List.of(letter(keys.get(0), "held"), letter(keys.get(0), "next"), letter(keys.get(1), "beside")));
        EventId held = store.search().events(EventFilter.ALL, null, 3).events().stream()
                .filter(event -> LaneReader.text(event).equals("held"))
                .findFirst()
                .orElseThrow()
                .id();
        T holder = fixture.begin();
        assertThat(store.processed().first(holder, held, SUBSCRIPTION)).isTrue();
        Letters letters = new Letters();
        Postrider<T> node = node(config(quick().subscriptions(s -> s.handlerTimeout(Duration.ofMillis(500)))));
        effects(node, letters).retry(QUICK.attempts(1)).start();
        eventually().holds(() -> {
            assertThat(fixture.effects()).containsExactly("beside");
            assertThat(rows(Delivery.Status.WAITING))
                    .hasSize(2)
                    .allSatisfy(row -> assertThat(row.attempt()).isZero());
        });
        awaitTries(held, 5);
        fixture.effect(holder, "held");
        fixture.commit(holder);
        assertAllDelivered(3);
        assertThat(fixture.effects()).containsExactly("beside", "held", "next");
        assertThat(letters.started()).containsExactly("beside", "next");
    }

    /** Until the event has been put off this often. */
    private void awaitTries(EventId event, int tries) {
        Set<Instant> due = new HashSet<>();
        eventually().holds(() -> {
            rows(Delivery.Status.WAITING).stream()
                    .filter(row -> row.id().equals(event))
                    .forEach(row -> due.add(row.dueAt()));
            assertThat(due).hasSizeGreaterThanOrEqualTo(tries);
        });
    }

    // ---- in both forms ----------------------------------------------------------------------------------------------

    @Test
    void each_event_has_its_effect_once_and_in_order() {
        Postrider<T> node = node();
        Letters letters = new Letters();
        effects(node, letters).start();
        List<String> keys = keysBeside("ann", 3);
        keys.forEach(key -> send(node, key, key + "-1", key + "-2", key + "-3"));
        send(node, keyApartFrom("ann"), "apart");
        assertAllDelivered(10);
        assertThat(fixture.effects()).hasSize(10).doesNotHaveDuplicates();
        keys.forEach(key -> assertThat(letters.delivered(key)).containsExactly(key + "-1", key + "-2", key + "-3"));
    }

    @Test
    void an_exception_undoes_the_effect_of_its_event_and_of_no_other() {
        Postrider<T> node = node();
        Letters letters = new Letters().fail("bad", 2);
        effects(node, letters).start();
        List<String> keys = keysBeside("ann", 3);
        send(
                node,
                List.of(
                        letter(keys.get(0), "before"),
                        letter(keys.get(1), "bad"),
                        letter(keys.get(2), "after"),
                        letter(keys.get(1), "follower")));
        assertAllDelivered(4);
        assertThat(fixture.effects()).containsExactlyInAnyOrder("before", "bad", "after", "follower");
        assertThat(letters.attempts("bad")).containsExactly(attempt(1), attempt(2), attempt(3));
        assertThat(letters.delivered(keys.get(1))).containsExactly("bad", "follower");
    }

    @Test
    void an_event_that_dies_has_no_effect() {
        Postrider<T> node = node();
        Letters letters = new Letters().failAlways("bad");
        effects(node, letters).retry(QUICK.attempts(2)).start();
        send(node, "ann", "bad", "good");
        assertThat(awaitDead().attempt()).isEqualTo(2);
        assertDelivered(letters, "good");
        eventually().holds(() -> assertThat(fixture.effects()).containsExactly("good"));
    }

    @Test
    void an_event_whose_commit_the_application_refuses_dies_alone_with_the_reason() {
        Postrider<T> node = node();
        refused.add("bad");
        Letters letters = new Letters();
        effects(node, letters).retry(QUICK.attempts(3)).start();
        List<String> keys = keysBeside("ann", 3);
        send(
                node,
                List.of(
                        letter(keys.get(0), "before"),
                        letter(keys.get(1), "bad"),
                        letter(keys.get(2), "after"),
                        letter(keys.get(1), "follower")));
        assertThat(awaitDead().attempt()).isEqualTo(3);
        assertThat(awaitDead().error()).contains(StoreFixture.REFUSED);
        assertLedger(new Counts(3, 0, 0, 1, 0, 0), 0);
        assertThat(fixture.effects()).containsExactlyInAnyOrder("before", "after", "follower");
        assertThat(letters.started().stream().filter("bad"::equals))
                .as("once together with the others, then alone")
                .hasSizeLessThanOrEqualTo(4);
    }

    @Test
    void immediate_retries_undo_the_effect_each_time() {
        Postrider<T> node = node();
        Letters letters = new Letters().fail("bad", 2);
        effects(node, letters).retry(QUICK.immediate(2)).start();
        send(node, "ann", "bad");
        assertAllDelivered(1);
        assertThat(fixture.effects()).containsExactly("bad");
        assertThat(letters.attempts("bad")).containsExactly(1, 2, 3);
    }

    @Test
    void a_handler_that_commits_or_rolls_back_its_transaction_is_refused_and_its_effect_undone() {
        Postrider<T> node = node(config(quick()));
        Letters letters = new Letters();
        ending.addAll(List.of(fixture::commit, fixture::rollback));
        effects(node, letters).start();
        send(node, "ann", "a", "b");
        assertAllDelivered(2);
        assertThat(fixture.effects()).containsExactly("a", "b");
        assertThat(letters.attempts("a").get(0)).isEqualTo(attempt(3));
        assertThat(observed(Observation.Repeated.class)).isEmpty();
        assertThat(observed(Observation.Dispatched.class))
                .extracting(dispatched -> dispatched.outcome().toString())
                .anySatisfy(outcome -> assertThat(outcome).contains("must not commit"))
                .anySatisfy(outcome -> assertThat(outcome).contains("must not roll back"));
    }

    @Test
    void what_a_handler_appends_is_committed_with_its_effect() {
        Postrider<T> node = node();
        Letters parcels = new Letters();
        Letters letters = new Letters().fail("a", 1);
        node.subscribe("parcels").on("parcel.*", String.class, parcels).start();
        effects(node, letters).start();
        appending.set(node);
        send(node, "ann", "a");
        assertDelivered(parcels, "because of a");
        assertLedgerOf("parcels", 1);
        assertThat(parcels.started()).containsExactly("because of a");
        assertThat(parcels.context("because of a").causationId()).isPresent();
    }

    private void assertLedgerOf(String subscription, int delivered) {
        eventually().holds(() -> {
            assertThat(store.browse().ledger(subscription).counts().delivered()).isEqualTo(delivered);
            assertThat(store.browse().ledger(subscription).pending()).isZero();
        });
    }

    @Test
    void an_event_whose_effect_hangs_is_given_up_and_has_its_effect_once() {
        Postrider<T> node = node(quick().subscriptions(s -> s.handlerTimeout(Duration.ofMillis(500))));
        Gate gate = gate();
        Letters letters = new Letters().hold("slow", gate);
        effects(node, letters).start();
        List<String> keys = keysBeside("ann", 3);
        send(node, List.of(letter(keys.get(0), "before"), letter(keys.get(1), "slow"), letter(keys.get(2), "after")));
        assertAllDelivered(3);
        gate.open();
        assertThat(fixture.effects()).containsExactlyInAnyOrder("before", "slow", "after");
        assertThat(letters.attempts("slow")).startsWith(attempt(1), attempt(2));
    }

    @Test
    void a_node_that_stops_commits_what_it_runs() {
        Postrider<T> leaving = node();
        Gate gate = gate();
        Letters letters = new Letters().hold("a", gate);
        effects(leaving, letters).start();
        send(leaving, "ann", "a", "b");
        eventually().holds(() -> assertThat(gate.entered()).isEqualTo(1));
        leaving.stop();
        gate.open();
        leaving.close();
        effects(node(), letters).start();
        assertAllDelivered(2);
        assertThat(fixture.effects()).containsExactly("a", "b");
        assertThat(letters.started()).containsExactly("a", "b");
    }

    @Test
    void a_node_that_stops_without_waiting_leaves_no_second_effect_behind() {
        Postrider<T> leaving = node(quick().stopWait(Duration.ofMillis(50)));
        Gate gate = gate();
        effects(leaving, new Letters().hold("a", gate)).start();
        send(leaving, "ann", "a", "b");
        eventually().holds(() -> assertThat(gate.entered()).isEqualTo(1));
        leaving.close();
        Letters letters = new Letters();
        effects(node(), letters).start();
        gate.open();
        assertAllDelivered(2);
        assertThat(fixture.effects()).containsExactlyInAnyOrder("a", "b");
    }

    @Test
    void a_node_that_was_cut_off_and_comes_back_has_no_second_effect() {
        AtomicBoolean cutOff = new AtomicBoolean();
        Postrider<T> zombie = Postrider.on(
                calling((method, call) -> {
                    if (cutOff.get() && StorePorts.is(method, Renew.class, "renew")) {
                        throw new StoreException("cut off");
                    }
                    return call.now();
                }),
                PostriderConfig.defaults()
                        .limits(quick().lease(Duration.ofMillis(300)).build()));
        closeAtEnd(zombie);
        Gate gate = gate();
        effects(zombie, new Letters().hold("a", gate)).start();
        send(zombie, "ann", "a");
        eventually().holds(() -> assertThat(gate.entered()).isEqualTo(1));
        cutOff.set(true);
        Letters letters = new Letters();
        effects(node(config(quick())), letters).start();
        openOnceTakenOver(gate);
        assertAllDelivered(1);
        assertThat(fixture.effects()).containsExactly("a");
    }

    /** The gate holds the transaction of the node that was cut off. */
    abstract void openOnceTakenOver(Gate gate);
}
