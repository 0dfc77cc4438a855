package io.postrider.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.Postrider;
import io.postrider.observe.Observation;
import io.postrider.operate.Delivery;
import io.postrider.policy.NodeLimits;
import io.postrider.policy.Queue;
import io.postrider.store.Renew;
import io.postrider.store.Settlement;
import io.postrider.store.Store;
import io.postrider.store.StoreException;
import io.postrider.store.Tasks;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** A node that waits for its store, or for a connection to it, is late and not gone: no event is to blame for it. */
public abstract class LateSuite<T> extends EngineCase<T> {
    private static final Duration LEASE = Duration.ofMillis(2_500);
    private static final Queue QUEUE = Queue.DEFAULT.lease(LEASE).timeout(Duration.ofSeconds(60));

    // ---- lanes ------------------------------------------------------------------------------------------------------

    @Test
    void a_node_whose_renewal_waits_keeps_its_lanes_and_says_so() {
        Gate free = gate();
        AtomicBoolean busy = new AtomicBoolean();
        Postrider<T> late = node(quick().lease(LEASE), (method, call) -> {
            if (busy.get() && StorePorts.is(method, Renew.class, "renew")) {
                free.pass();
            }
            return call.now();
        });
        Gate gate = gate();
        Letters atLate = new Letters().hold("a", gate);
        letters(late, atLate).start();
        send(late, "ann", "a");
        eventually().holds(() -> assertThat(gate.entered()).isEqualTo(1));
        busy.set(true);
        eventually().holds(() -> assertThat(free.entered()).isEqualTo(1));
        Eventually.stays(LEASE.multipliedBy(3), () -> assertThat(liveNodes()).isEqualTo(2));
        store.renew().leave(NODE);
        eventually()
                .holds(() -> assertThat(observed(Observation.RenewedLate.class)).isNotEmpty());
        free.open();
        gate.open();
        assertAllDelivered(1);
        assertThat(atLate.delivered()).containsExactly("a");
    }

    @Test
    void a_node_whose_renewal_hangs_for_many_leases_leaves_its_lanes_to_others() {
        Gate never = gate();
        AtomicBoolean hangs = new AtomicBoolean();
        Postrider<T> hanging = node(quick().lease(LEASE.dividedBy(5)), (method, call) -> {
            if (hangs.get() && StorePorts.is(method, Renew.class, "renew")) {
                never.pass();
            }
            return call.now();
        });
        letters(hanging, new Letters()).start();
        send(hanging, "ann", "a");
        assertAllDelivered(1);
        hangs.set(true);
        eventually().holds(() -> assertThat(liveNodes()).isEqualTo(1));
        store.renew().leave(NODE);
        Letters others = new Letters();
        letters(node(quick()), others).start();
        send(hanging, "ann", "b");
        eventually().holds(() -> assertThat(others.delivered()).containsExactly("b"));
        never.open();
    }

    @Test
    void a_node_whose_lease_ran_out_goes_on_with_lanes_that_nobody_took() {
        AtomicBoolean away = new AtomicBoolean();
        Postrider<T> late =
                node(quick().lease(LEASE).subscriptions(s -> s.settleAfter(Duration.ofMillis(1))), (method, call) -> {
                    if (away.get() && isRenewal(method)) {
                        throw new StoreException("the store is away");
                    }
                    return call.now();
                });
        Gate gate = gate();
        Letters letters = new Letters().hold("a", gate);
        letters(late, letters).start();
        send(late, "ann", "a");
        eventually().holds(() -> assertThat(rows(Delivery.Status.RUNNING)).hasSize(1));
        away.set(true);
        eventually().holds(() -> assertThat(liveNodes()).isEqualTo(1));
        store.renew().leave(NODE);
        away.set(false);
        gate.open();
        assertAllDelivered(1);
        assertThat(letters.attempts("a")).containsExactly(1);
    }

    @Test
    void an_event_whose_own_node_lost_its_settlement_has_had_no_attempt() {
        AtomicBoolean fails = new AtomicBoolean();
        Postrider<T> node = node(quick().subscriptions(s -> s.settleAfter(Duration.ofMillis(1))), (method, call) -> {
            if (call.arguments().length == 1
                    && call.arguments()[0] instanceof Settlement settlement
                    && !settlement.settled().isEmpty()
                    && fails.compareAndSet(true, false)) {
                throw new StoreException("no connection was free");
            }
            return call.now();
        });
        Gate gate = gate();
        Letters letters = new Letters().hold("a", gate);
        letters(node, letters).start();
        send(node, "ann", "a");
        eventually().holds(() -> assertThat(rows(Delivery.Status.RUNNING)).hasSize(1));
        fails.set(true);
        gate.open();
        assertAllDelivered(1);
        assertThat(letters.attempts("a")).containsExactly(1, 1);
    }

    // ---- tasks ------------------------------------------------------------------------------------------------------

    @Test
    void a_task_that_has_ended_is_held_until_its_settle_is_written() {
        AtomicBoolean away = new AtomicBoolean(true);
        Postrider<T> late = node(quick(), (method, call) -> {
            if (away.get() && StorePorts.is(method, Tasks.class, "settle")) {
                throw new StoreException("no connection was free");
            }
            return call.now();
        });
        Letters atLate = new Letters();
        letters(late, atLate).queue(QUEUE).start();
        send(late, "ann", "a");
        assertDelivered(atLate, "a");
        Eventually.stays(
                LEASE.multipliedBy(3),
                () -> assertThat(store.tasks().prepare(SUBSCRIPTION).readied()).isZero());
        away.set(false);
        assertAllDelivered(1);
        assertThat(atLate.attempts("a")).containsExactly(1);
    }

    @Test
    void tasks_that_a_live_node_renews_late_stay_its_own() {
        AtomicBoolean away = new AtomicBoolean();
        Postrider<T> late = node(quick(), (method, call) -> {
            if (away.get() && StorePorts.is(method, Tasks.class, "renew")) {
                throw new StoreException("no connection was free");
            }
            return call.now();
        });
        Gate gate = gate();
        Letters atLate = new Letters().hold("a", gate);
        letters(late, atLate).queue(QUEUE).start();
        send(late, "ann", "a");
        eventually().holds(() -> assertThat(gate.entered()).isEqualTo(1));
        away.set(true);
        Letters atOther = new Letters();
        letters(node(), atOther).queue(QUEUE).start();
        Eventually.stays(
                LEASE.multipliedBy(3), () -> assertThat(atOther.started()).isEmpty());
        away.set(false);
        gate.open();
        assertAllDelivered(1);
        assertThat(atLate.attempts("a")).containsExactly(1);
    }

    @Test
    void a_task_whose_claim_took_too_long_has_had_no_attempt() {
        AtomicBoolean slow = new AtomicBoolean(true);
        Postrider<T> node = node(quick(), (method, call) -> {
            Object answer = call.now();
            boolean claimed = StorePorts.is(method, Tasks.class, "claim") && !((List<?>) answer).isEmpty();
            if (claimed && slow.compareAndSet(true, false)) {
                Thread.sleep(LEASE.multipliedBy(2).toMillis());
            }
            return answer;
        });
        Letters letters = new Letters();
        letters(node, letters).queue(QUEUE).start();
        send(node, "ann", "a");
        assertAllDelivered(1);
        assertThat(letters.attempts("a")).containsExactly(1);
        assertThat(slow).isFalse();
    }

    // ---- what the tests do ------------------------------------------------------------------------------------------

    private static boolean isRenewal(Method method) {
        return StorePorts.is(method, Renew.class, "renew") || StorePorts.is(method, Renew.class, "extend");
    }

    /** A node whose calls of its store go this way. */
    private Postrider<T> node(NodeLimits.Builder limits, StorePorts.Way way) {
        return on(calling(way), limits);
    }

    private Postrider<T> on(Store<T> store, NodeLimits.Builder limits) {
        Postrider<T> node = Postrider.on(store, config(limits));
        closeAtEnd(node);
        return node;
    }

    /** Those that share the subscription, and the one that asks. */
    private int liveNodes() {
        Renew.Sharing shared = store.renew()
                .renew(NODE, LONG_LEASE, Set.of(SUBSCRIPTION))
                .shared()
                .get(SUBSCRIPTION);
        return shared == null ? 0 : shared.nodes();
    }
}
