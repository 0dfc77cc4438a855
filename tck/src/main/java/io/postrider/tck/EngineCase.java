package io.postrider.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.postrider.Event;
import io.postrider.Position;
import io.postrider.Postrider;
import io.postrider.PostriderConfig;
import io.postrider.SubscriptionBuilder;
import io.postrider.observe.Observation;
import io.postrider.operate.Counts;
import io.postrider.operate.Delivery;
import io.postrider.operate.Ledger;
import io.postrider.policy.NodeLimits;
import io.postrider.policy.RetryPolicy;
import io.postrider.store.Store;
import io.postrider.store.Store.Limitation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/**
 * What the suites of the engine share: nodes on the store, stopped after each test, and words for what tests do with
 * them.
 *
 * @param <T> the store's transaction handle
 */
public abstract class EngineCase<T> extends StoreCase<T> {
    /** So quick that tests with retries do not wait. */
    static final RetryPolicy QUICK = RetryPolicy.DEFAULT
            .pauses(Duration.ofMillis(5), Duration.ofMillis(20))
            .attempts(1_000);

    final List<Observation> observed = new CopyOnWriteArrayList<>();
    private final List<Postrider<T>> nodes = new ArrayList<>();
    private final List<Gate> gates = new ArrayList<>();

    @Override
    void release() {
        gates.forEach(Gate::open);
        nodes.forEach(Postrider::close);
    }

    // ---- nodes ------------------------------------------------------------------------------------------------------

    /** Looks often, and keeps its lease however busy the machine is. */
    static NodeLimits.Builder quick() {
        return NodeLimits.builder()
                .pollMin(Duration.ofMillis(2))
                .pollMax(Duration.ofMillis(20))
                .subscriptions(s -> s.rereadEvery(Duration.ofMillis(200)).settleQuietEvery(Duration.ofMillis(200)))
                .backoffMax(Duration.ofMillis(100))
                .lease(Duration.ofSeconds(3))
                .stopWait(Duration.ofSeconds(20))
                .pruneEvery(Duration.ofHours(1));
    }

    /** Hears sooner of what an operator wants, because it renews its lease more often. */
    static NodeLimits.Builder attentive() {
        return quick().lease(Duration.ofMillis(1_500));
    }

    final Postrider<T> node() {
        return node(quick());
    }

    /** A node that the end of the test stops. */
    final Postrider<T> node(NodeLimits.Builder limits) {
        return node(PostriderConfig.defaults().limits(limits.build()));
    }

    final Postrider<T> node(PostriderConfig config) {
        Postrider<T> node = Postrider.on(fixture.another(), config);
        closeAtEnd(node);
        return node;
    }

    final void closeAtEnd(Postrider<T> node) {
        nodes.add(node);
    }

    /** That what needs more than the store can do is refused with a sentence, and has begun nothing. */
    final void assertRefused(Limitation limitation, String what, ThrowingCallable begin) {
        assertThatThrownBy(begin)
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining(what)
                .hasMessageContaining("the store of log '" + store.log() + "'")
                .hasMessageContaining("(" + limitation + ")");
        assertThat(store.browse().subscriptions()).isEmpty();
    }

    /** Letters to this handler, with quick retries; not started yet. */
    static <T> SubscriptionBuilder<T> letters(Postrider<T> node, Letters letters) {
        return node.subscribe(SUBSCRIPTION)
                .on("letter.*", String.class, letters)
                .retry(QUICK);
    }

    /** A gate that the end of the test opens. */
    final Gate gate() {
        Gate gate = new Gate();
        gates.add(gate);
        return gate;
    }

    // ---- events -----------------------------------------------------------------------------------------------------

    static Event letter(String key, String text) {
        return Event.of(TYPE, text).key(key);
    }

    /** Appends in a transaction of the node's. */
    final void send(Postrider<T> node, String key, String... texts) {
        send(node, Arrays.stream(texts).map(text -> letter(key, text)).toList());
    }

    final void send(Postrider<T> node, List<Event> events) {
        if (declares(Limitation.NO_TRANSACTIONS)) {
            T handle = fixture.begin();
            node.outbox().append(handle, events);
            fixture.commit(handle);
            return;
        }
        try {
            node.transaction(transaction -> node.outbox().append(transaction, events));
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    // ---- what came of them ------------------------------------------------------------------------------------------

    final void assertDelivered(Letters letters, String... texts) {
        eventually().holds(() -> assertThat(letters.delivered()).contains(texts));
    }

    final void assertLedger(Counts counts, long pending) {
        eventually()
                .holds(() -> assertThat(store.browse().ledger(SUBSCRIPTION)).isEqualTo(new Ledger(counts, pending)));
    }

    /** Waits until everything that was appended has been delivered, and nothing else is on the ledger. */
    final void assertAllDelivered(int events) {
        assertLedger(new Counts(events, 0, 0, 0, 0, 0), 0);
    }

    final List<Delivery> rows(Delivery.Status status) {
        return store.browse().deliveries(SUBSCRIPTION, status, Position.ZERO, 1_000);
    }

    /** The only dead event, once there is one. */
    final Delivery awaitDead() {
        eventually().holds(() -> assertThat(rows(Delivery.Status.DEAD)).hasSize(1));
        return rows(Delivery.Status.DEAD).get(0);
    }

    // ---- a store that answers badly ---------------------------------------------------------------------------------

    /** The store as a node sees it that is far away: each call of its ports goes this way. */
    final Store<T> calling(StorePorts.Way way) {
        return StorePorts.of(fixture.another(), way);
    }

    final PostriderConfig config(NodeLimits.Builder limits) {
        return PostriderConfig.defaults().limits(limits.build()).observer(observed::add);
    }

    final <O extends Observation> List<O> observed(Class<O> kind) {
        return observed.stream().filter(kind::isInstance).map(kind::cast).toList();
    }
}
