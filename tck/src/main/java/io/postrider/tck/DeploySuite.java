package io.postrider.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.Event;
import io.postrider.EventFilter;
import io.postrider.Postrider;
import io.postrider.SubscriptionBuilder;
import io.postrider.operate.Counts;
import io.postrider.operate.Delivery;
import io.postrider.operate.Search;
import io.postrider.operate.Why;
import io.postrider.policy.AfterDead;
import io.postrider.policy.DeadLetters;
import io.postrider.policy.NodeLimits;
import io.postrider.policy.Queue;
import io.postrider.policy.Retention;
import io.postrider.store.Renew;
import io.postrider.store.StoreException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Deployments: versions with other filters come, run beside each other, and go. */
public abstract class DeploySuite<T> extends EngineCase<T> {
    private static final int MANY = 50;
    /** Renewed so seldom that a node hears of nothing by its renewals within a test. */
    private static final Duration SELDOM = Duration.ofMinutes(10);

    @Test
    void a_rolling_deployment_delivers_every_event_of_a_type_that_only_the_new_version_handles() {
        Postrider<T> old = node(quick().lease(SELDOM));
        Letters atOld = new Letters();
        letters(old, atOld).start();
        send(old, "ann", "a");
        assertDelivered(atOld, "a");
        Letters parcels = new Letters();
        Postrider<T> next = node(quick().lease(SELDOM));
        withParcels(next, new Letters(), parcels).start();
        send(next, parcels(MANY));
        assertLedger(new Counts(1 + MANY, 0, 0, 0, 0, 0), 0);
        assertThat(parcels.delivered()).hasSize(MANY);
    }

    @Test
    void a_rolling_deployment_of_a_queue_delivers_every_task_of_a_type_that_only_the_new_version_handles() {
        Postrider<T> old = node(quick().lease(SELDOM));
        Letters atOld = new Letters();
        letters(old, atOld).queue(Queue.DEFAULT).start();
        send(old, "ann", "a");
        assertDelivered(atOld, "a");
        Letters parcels = new Letters();
        Postrider<T> next = node(quick().lease(SELDOM));
        withParcels(next, new Letters(), parcels).queue(Queue.DEFAULT).start();
        send(next, parcels(MANY));
        assertLedger(new Counts(1 + MANY, 0, 0, 0, 0, 0), 0);
        assertThat(parcels.delivered()).hasSize(MANY);
    }

    @Test
    void tasks_of_a_queue_that_is_one_no_longer_are_delivered_by_its_lanes() {
        Postrider<T> old = node(quick().subscriptions(s -> s.concurrency(1)));
        Gate gate = gate();
        letters(old, new Letters().hold("n1", gate)).queue(Queue.DEFAULT).start();
        send(old, "ann", numbered("n", 5));
        eventually().holds(() -> assertThat(gate.entered()).isEqualTo(1));
        eventually().holds(() -> assertThat(rows(Delivery.Status.READY)).hasSize(4));
        Letters atNext = new Letters();
        letters(node(), atNext).start();
        gate.open();
        assertLedger(new Counts(5, 0, 0, 0, 0, 0), 0);
        assertThat(atNext.delivered()).contains("n2", "n3", "n4", "n5");
    }

    @Test
    void events_that_wait_in_lanes_that_become_a_queue_are_its_tasks() {
        Postrider<T> old = node(quick().subscriptions(s -> s.settleAfter(Duration.ofMillis(20))));
        Gate gate = gate();
        letters(old, new Letters().hold("n1", gate)).start();
        send(old, "ann", numbered("n", 3));
        eventually().holds(() -> assertThat(rows(Delivery.Status.RUNNING)).hasSize(1));
        eventually().holds(() -> assertThat(rows(Delivery.Status.WAITING)).hasSize(2));
        Letters atNext = new Letters();
        letters(node(), atNext).queue(Queue.DEFAULT).start();
        assertLedger(new Counts(3, 0, 0, 0, 0, 0), 0);
        assertThat(atNext.delivered()).containsExactlyInAnyOrder("n1", "n2", "n3");
        gate.open();
    }

    /** An older version goes on behind dead events and lets them go; a newer one holds keys back for them. */
    @Test
    void dead_events_that_block_their_keys_are_not_let_go_by_a_version_that_goes_on() {
        Retention none = Retention.DEFAULT.dead(Duration.ZERO);
        letters(node(), new Letters()).retention(none).start();
        Letters atNext = new Letters().failAlways("a");
        letters(node(), atNext)
                .retry(QUICK.attempts(1))
                .afterDead(AfterDead.STAY_BLOCKED)
                .start();
        send(node(), "ann", "a", "b");
        eventually().holds(() -> assertThat(rows(Delivery.Status.DEAD)).hasSize(1));
        assertThat(store.retain().sweep(SUBSCRIPTION, none).drops()).isEmpty();
        assertThat(store.retain()
                        .sweep(SUBSCRIPTION, Retention.DEFAULT.deadLetters(DeadLetters.MOVED))
                        .moved())
                .isZero();
        assertLedger(new Counts(0, 0, 1, 1, 0, 0), 0);
    }

    @Test
    void a_change_of_one_subscription_leaves_the_others_of_a_node_alone() {
        Postrider<T> old = node(quick().lease(Duration.ofMillis(600)));
        Gate gate = gate();
        Letters held = new Letters().hold("b", gate);
        letters(old, new Letters()).start();
        old.subscribe("others").on("letter.*", String.class, held).retry(QUICK).start();
        send(old, "ann", "b");
        eventually().holds(() -> assertThat(gate.entered()).isEqualTo(1));
        Letters atNext = new Letters();
        withParcels(node(), atNext, new Letters()).start();
        eventually().holds(() -> {
            send(old, keyApartFrom("ann"), "c");
            assertThat(atNext.delivered()).contains("c");
        });
        gate.open();
        assertDelivered(held, "b");
        assertThat(held.started().stream().filter("b"::equals)).hasSize(1);
    }

    /** Its node lives, and its handler succeeds: only the settle comes too late. */
    @Test
    void an_event_whose_lane_a_changed_filter_took_away_has_had_no_attempt() {
        Postrider<T> old = node(quick().lease(SELDOM).subscriptions(s -> s.settleAfter(Duration.ofMillis(1))));
        Gate gate = gate();
        letters(old, new Letters().hold("a", gate)).retry(QUICK.attempts(1)).start();
        send(old, "ann", "a");
        eventually().holds(() -> assertThat(rows(Delivery.Status.RUNNING)).hasSize(1));
        Letters atNext = new Letters();
        withParcels(node(), atNext, new Letters()).retry(QUICK.attempts(1)).start();
        assertAllDelivered(1);
        gate.open();
        assertThat(atNext.attempts("a")).containsExactly(1);
    }

    @Test
    void after_an_aborted_canary_all_older_nodes_take_part_again() {
        NodeLimits.Builder shortLease = quick().lease(Duration.ofMillis(600));
        Postrider<T> one = node(shortLease);
        letters(one, new Letters()).start();
        letters(node(shortLease), new Letters()).start();
        letters(node(shortLease), new Letters()).start();
        eventually().holds(() -> assertThat(nodesTakingPart()).isEqualTo(3));
        Postrider<T> canary = node(shortLease);
        withParcels(canary, new Letters(), new Letters()).start();
        eventually().holds(() -> assertThat(nodesTakingPart()).isEqualTo(1));
        canary.close();
        eventually().holds(() -> assertThat(nodesTakingPart()).isEqualTo(3));
    }

    /** No lane is free then: another node of the same version has taken all. */
    @Test
    void nodes_that_stand_by_take_part_again_beside_one_that_brings_their_filter_back() {
        NodeLimits.Builder shortLease = quick().lease(Duration.ofMillis(600));
        letters(node(shortLease), new Letters()).start();
        withParcels(node(shortLease), new Letters(), new Letters()).start();
        eventually().holds(() -> assertThat(nodesTakingPart()).isEqualTo(1));
        letters(node(shortLease), new Letters()).start();
        eventually().holds(() -> assertThat(nodesTakingPart()).isEqualTo(2));
    }

    /** Live nodes that share the subscription's lanes, by the store's word. */
    private int nodesTakingPart() {
        Renew.Sharing shared = store.renew()
                .renew(NODE, LONG_LEASE, Set.of(), Map.of(SUBSCRIPTION, "none"))
                .shared()
                .get(SUBSCRIPTION);
        return shared == null ? 0 : shared.nodes();
    }

    @Test
    void after_an_aborted_canary_the_older_nodes_deliver_again() {
        NodeLimits.Builder shortLease = quick().lease(Duration.ofMillis(600));
        Letters atOlder = new Letters();
        Postrider<T> one = node(shortLease);
        Postrider<T> two = node(shortLease);
        letters(one, atOlder).start();
        letters(two, atOlder).start();
        send(one, "ann", "a");
        assertDelivered(atOlder, "a");
        Postrider<T> canary = node(shortLease);
        Letters atCanary = new Letters();
        withParcels(canary, atCanary, new Letters()).start();
        eventually().holds(() -> {
            send(one, "ann", "b");
            assertThat(atCanary.delivered()).contains("b");
        });
        canary.close();
        send(one, "ann", "c");
        assertDelivered(atOlder, "c");
    }

    @Test
    void after_a_canary_that_fell_silent_the_older_nodes_deliver_again() {
        NodeLimits.Builder shortLease = quick().lease(Duration.ofMillis(600));
        Letters atOlder = new Letters();
        Postrider<T> older = node(shortLease);
        letters(older, atOlder).start();
        AtomicBoolean silent = new AtomicBoolean();
        Postrider<T> canary = Postrider.on(
                calling((method, call) -> {
                    if (silent.get()) {
                        throw new StoreException("the network is gone");
                    }
                    return call.now();
                }),
                config(shortLease));
        closeAtEnd(canary);
        Letters atCanary = new Letters();
        withParcels(canary, atCanary, new Letters()).start();
        eventually().holds(() -> {
            send(older, "ann", "b");
            assertThat(atCanary.delivered()).contains("b");
        });
        silent.set(true);
        send(older, "ann", "c");
        assertDelivered(atOlder, "c");
    }

    @Test
    void what_was_skipped_between_a_rollback_and_the_next_deployment_is_told_as_skipped() {
        deploy(true, parcels(2), new Counts(2, 0, 0, 0, 0, 0));
        deploy(false, parcels(3), new Counts(2, 3, 0, 0, 0, 0));
        deploy(true, parcels(1), new Counts(3, 3, 0, 0, 0, 0));
        Search search = store.search();
        List<Why> all = search.events(EventFilter.ALL, null, 10).events().stream()
                .map(event -> search.why(SUBSCRIPTION, event.id()))
                .toList();
        assertThat(all.subList(1, 4))
                .allSatisfy(why -> assertThat(why)
                        .isInstanceOfSatisfying(
                                Why.Skipped.class,
                                skipped -> assertThat(skipped.filter()).isEqualTo("letter.*")));
        assertThat(all.get(0)).isInstanceOf(Why.Delivered.class);
        assertThat(all.subList(4, 6)).allSatisfy(why -> assertThat(why).isInstanceOf(Why.Delivered.class));
        assertThat(search.deliveries(SUBSCRIPTION, Search.State.SKIPPED, EventFilter.ALL, null, 10)
                        .hits())
                .hasSize(3);
        assertThat(search.deliveries(SUBSCRIPTION, Search.State.DELIVERED, EventFilter.ALL, null, 10)
                        .hits())
                .hasSize(3);
    }

    /** A version runs alone until the ledger says so, and ends. */
    private void deploy(boolean withParcels, List<Event> events, Counts counts) {
        Postrider<T> node = node();
        (withParcels ? withParcels(node, new Letters(), new Letters()) : letters(node, new Letters())).start();
        send(node, events);
        assertLedger(counts, 0);
        node.close();
    }

    private static <T> SubscriptionBuilder<T> withParcels(Postrider<T> node, Letters letters, Letters parcels) {
        return letters(node, letters).on("parcel.*", String.class, parcels);
    }

    private static List<Event> parcels(int count) {
        return IntStream.range(0, count)
                .mapToObj(number -> Event.of("parcel.sent", "p" + number).key("k" + number))
                .toList();
    }
}
