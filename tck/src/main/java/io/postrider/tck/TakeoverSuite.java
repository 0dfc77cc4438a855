package io.postrider.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.postrider.Event;
import io.postrider.Postrider;
import io.postrider.PostriderConfig;
import io.postrider.StoredEvent;
import io.postrider.operate.Counts;
import io.postrider.operate.Delivery;
import io.postrider.operate.Operate;
import io.postrider.policy.RetryPolicy;
import io.postrider.policy.Start;
import io.postrider.store.Renew;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Takeover: nodes come, go and fall silent, and what they had goes on elsewhere. */
public abstract class TakeoverSuite<T> extends EngineCase<T> {

    @Test
    void nodes_share_the_work() {
        Postrider<T> one = node();
        Postrider<T> two = node();
        Letters atOne = new Letters();
        Letters atTwo = new Letters();
        letters(one, atOne).start();
        letters(two, atTwo).start();
        eventually().holds(() -> {
            List<Event> events = new ArrayList<>();
            for (String key : numbered("key-", 20)) {
                events.add(letter(key, "x"));
            }
            send(one, events);
            assertThat(atOne.delivered()).isNotEmpty();
            assertThat(atTwo.delivered()).isNotEmpty();
        });
        eventually()
                .holds(() -> assertThat(store.browse().ledger(SUBSCRIPTION).pending())
                        .isZero());
        eventually()
                .holds(() -> assertThat(
                                atOne.delivered().size() + atTwo.delivered().size())
                        .isEqualTo((int)
                                store.browse().ledger(SUBSCRIPTION).counts().delivered()));
    }

    @Test
    void a_node_that_stops_finishes_what_it_runs_and_hands_over_at_once() {
        Postrider<T> leaving = node(quick().lease(LONG_LEASE));
        Gate gate = gate();
        Letters atLeaving = new Letters().hold("a", gate);
        letters(leaving, atLeaving).start();
        send(leaving, "ann", "a", "b");
        eventually().holds(() -> assertThat(gate.entered()).isEqualTo(1));
        Postrider<T> staying = node(quick().lease(LONG_LEASE));
        Letters atStaying = new Letters();
        letters(staying, atStaying).start();
        gate.open();
        leaving.close();
        send(staying, "ann", "c");
        for (String key : numbered("key-", 40)) {
            send(staying, key, "to " + key);
        }
        assertAllDelivered(43);
        assertThat(atLeaving.delivered()).startsWith("a");
        assertThat(atStaying.delivered()).contains("c");
        assertThat(atLeaving.started().size() + atStaying.started().size()).isEqualTo(43);
    }

    @Test
    void a_node_that_stops_waits_only_so_long() {
        Postrider<T> leaving = node(quick().stopWait(Duration.ofMillis(50)));
        Gate gate = gate();
        Letters atLeaving = new Letters().hold("a", gate);
        letters(leaving, atLeaving).start();
        send(leaving, "ann", "a", "b");
        eventually().holds(() -> assertThat(gate.entered()).isEqualTo(1));
        leaving.close();
        Letters atNext = new Letters();
        letters(node(), atNext).start();
        assertDelivered(atNext, "a", "b");
        assertThat(atNext.attempts("a")).containsExactly(2);
        assertAllDelivered(2);
    }

    @Test
    void a_node_that_has_lost_its_lanes_stops_although_a_handler_hangs() {
        Postrider<T> node = node(quick().subscriptions(s -> s.settleAfter(Duration.ofMillis(1)))
                .lease(Duration.ofMillis(300))
                .stopWait(Duration.ofMillis(50)));
        Gate gate = gate();
        letters(node, new Letters().hold("a", gate)).start();
        send(node, "ann", "a");
        eventually().holds(() -> assertThat(gate.entered()).isEqualTo(1));
        eventually().holds(() -> assertThat(rows(Delivery.Status.RUNNING)).hasSize(1));
        assertThat(remove(SUBSCRIPTION)).isTrue();
        CompletableFuture<Void> closed = CompletableFuture.runAsync(node::close);
        eventually().holds(() -> assertThat(closed).isCompleted());
    }

    @Test
    void the_lanes_of_a_node_that_fell_silent_are_taken_over() {
        committed("ann", "a");
        LaneReader silent = reader("letters", Start.beginning(), "ann");
        assertThat(silent.drain()).containsExactly("a");
        renew(NODE, SHORT_LEASE);
        changeFilter();
        Letters letters = new Letters();
        letters(node(), letters).start();
        assertDelivered(letters, "a");
        assertThat(silent.settle(1)).isFalse();
        assertAllDelivered(1);
    }

    @Test
    void an_event_that_ran_when_its_node_fell_silent_has_had_an_attempt() {
        committed("ann", "a", "b");
        LaneReader silent = reader("ann");
        List<StoredEvent> events = silent.drain(LaneReader.MANY);
        assertThat(events).hasSize(2);
        assertThat(silent.park(events.stream().map(StoreCase::parked).toList())).isTrue();
        assertThat(store.claim().claim(silent.ownership(), List.of(events.get(0).position())))
                .hasSize(1);
        renew(NODE, SHORT_LEASE);
        changeFilter();
        Letters letters = new Letters();
        letters(node(), letters).start();
        assertAllDelivered(2);
        assertThat(letters.attempts("a")).containsExactly(2);
        assertThat(letters.attempts("b")).containsExactly(1);
    }

    @Test
    void an_event_that_ended_its_last_node_is_buried() {
        committed("ann", "a", "b");
        LaneReader silent = reader("ann");
        List<StoredEvent> events = silent.drain(LaneReader.MANY);
        assertThat(silent.park(events.stream().map(StoreCase::parked).toList())).isTrue();
        assertThat(store.claim().claim(silent.ownership(), List.of(events.get(0).position())))
                .hasSize(1);
        store.renew().leave(NODE);
        changeFilter();
        Letters letters = new Letters();
        letters(node(), letters).retry(RetryPolicy.DEFAULT.attempts(1)).start();
        assertLedger(new Counts(1, 0, 0, 1, 0, 0), 0);
        assertThat(letters.started()).containsExactly("b");
        assertThat(awaitDead().position()).isEqualTo(events.get(0).position());
    }

    @Test
    void after_two_takeovers_without_a_settle_events_run_one_at_a_time() {
        List<String> keys = keysBeside("ann", 3);
        T transaction = fixture.begin();
        keys.forEach(key -> append(transaction, key, "to " + key));
        append(transaction, keys.get(0), "follower");
        fixture.commit(transaction);
        reader("ann");
        renew(NODE, SHORT_LEASE);
        takeOver(OTHER_NODE, SHORT_LEASE, "ann");
        changeFilter();
        Gate gate = gate();
        Letters letters = new Letters();
        keys.forEach(key -> letters.hold("to " + key, gate));
        letters(node(quick().subscriptions(s -> s.settleAfter(Duration.ofMinutes(1)))), letters)
                .start();
        eventually().holds(() -> assertThat(gate.entered()).isEqualTo(1));
        assertThat(rows(Delivery.Status.RUNNING))
                .singleElement()
                .satisfies(row -> assertThat(row.suspect()).isTrue());
        assertThat(rows(Delivery.Status.WAITING))
                .hasSize(3)
                .allSatisfy(row -> assertThat(row.suspect()).isTrue());
        assertThat(letters.started()).hasSize(1);
        gate.open();
        assertAllDelivered(4);
        assertThat(letters.delivered(keys.get(0))).containsExactly("to " + keys.get(0), "follower");
    }

    @Test
    void suspects_behind_an_event_that_waits_are_delivered_too() {
        committed("ann", "waits", "follower");
        LaneReader silent = reader("ann");
        List<StoredEvent> first = silent.next(1);
        assertThat(silent.park(List.of(parked(first.get(0))))).isTrue();
        renew(NODE, SHORT_LEASE);
        takeOver(OTHER_NODE, SHORT_LEASE, "ann");
        LaneReader second = takeOver("node-3", SHORT_LEASE, "ann");
        assertThat(second.claimed().takeovers()).isEqualTo(2);
        changeFilter();
        Letters letters = new Letters().fail("waits", 1);
        letters(node(), letters).start();
        assertAllDelivered(2);
        assertThat(letters.delivered()).containsExactly("waits", "follower");
    }

    @Test
    void a_node_with_a_newer_filter_takes_the_subscription_over() {
        Postrider<T> older = node();
        Postrider<T> newer = node();
        Letters atOlder = new Letters();
        Letters atNewer = new Letters();
        letters(older, atOlder).start();
        send(older, "ann", "a");
        assertDelivered(atOlder, "a");
        newer.subscribe(SUBSCRIPTION)
                .on("letter.*", String.class, atNewer)
                .on("parcel.*", String.class, atNewer)
                .start();
        send(newer, List.of(letter("ann", "b"), Event.of("parcel.sent", "p")));
        eventually().holds(() -> {
            List<Event> events = new ArrayList<>();
            for (String key : numbered("key-", 40)) {
                events.add(letter(key, "x"));
            }
            int before = atOlder.started().size();
            int count = atNewer.delivered().size();
            send(newer, events);
            assertThat(atNewer.delivered()).hasSizeGreaterThanOrEqualTo(count);
            assertThat(atOlder.started()).hasSize(before);
            assertThat(store.browse().ledger(SUBSCRIPTION).pending()).isZero();
            assertThat(atNewer.delivered()).contains("x");
        });
    }

    @Test
    void a_node_whose_store_has_fallen_silent_closes_within_seconds() {
        AtomicBoolean silent = new AtomicBoolean();
        Gate gate = gate();
        Postrider<T> node = Postrider.on(
                calling((method, call) -> {
                    if (silent.get()) {
                        gate.pass();
                    }
                    return call.now();
                }),
                PostriderConfig.defaults()
                        .limits(quick().stopWait(Duration.ofMinutes(2)).build()));
        closeAtEnd(node);
        letters(node, new Letters()).start();
        send(node, "ann", "a");
        assertAllDelivered(1);
        silent.set(true);
        assertThat(node.stop()).succeedsWithin(fixture.patience());
    }

    /** Everything but the extension of the lease hangs: a node that has closed must not keep its lanes from others. */
    @Test
    void a_node_that_closed_without_an_answer_lets_its_lease_run_out() {
        AtomicBoolean silent = new AtomicBoolean();
        AtomicInteger extensions = new AtomicInteger();
        Gate gate = gate();
        Postrider<T> node = Postrider.on(
                calling((method, call) -> {
                    if (StorePorts.is(method, Renew.class, "extend")) {
                        extensions.incrementAndGet();
                    } else if (silent.get()) {
                        gate.pass();
                    }
                    return call.now();
                }),
                PostriderConfig.defaults()
                        .limits(quick().lease(Duration.ofSeconds(2)).build()));
        closeAtEnd(node);
        letters(node, new Letters()).start();
        send(node, "ann", "a");
        assertAllDelivered(1);
        silent.set(true);
        assertThat(node.stop()).succeedsWithin(fixture.patience());
        int before = extensions.get();
        eventually().holds(() -> assertThat(store.operate().nodes()).noneMatch(Operate.Member::alive));
        assertThat(extensions.get() - before)
                .as("extensions after the end")
                .isLessThanOrEqualTo(1); // one was under way
    }

    @Test
    void a_subscription_that_was_removed_is_delivered_no_more() {
        Postrider<T> node = node();
        Letters letters = new Letters();
        Letters others = new Letters();
        letters(node, letters).start();
        node.subscribe("others").on("letter.*", String.class, others).start();
        send(node, "ann", "a");
        assertDelivered(letters, "a");
        assertDelivered(others, "a");
        assertAllDelivered(1);
        node.operator().remove(SUBSCRIPTION, BY);
        assertThat(store.browse().subscriptions()).containsExactly("others");
        send(node, "ann", "b");
        assertDelivered(others, "b");
        assertThatThrownBy(() -> node.operator().remove("othres", BY))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("there is no subscription 'othres'; those registered are 'others'");
    }

    /**
     * The suite's own nodes had no handlers; from now on the filter is that of {@link #letters}. A lane counts as taken
     * over from a node that fell silent, not from one that lives.
     */
    private void changeFilter() {
        eventually().holds(() -> assertThat(store.operate().nodes()).noneMatch(Operate.Member::alive));
        store.subscriptions().register(SUBSCRIPTION, Start.beginning(), "letter.*");
    }
}
