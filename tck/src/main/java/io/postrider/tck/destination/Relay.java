package io.postrider.tck.destination;

import io.postrider.Event;
import io.postrider.Position;
import io.postrider.Postrider;
import io.postrider.PostriderConfig;
import io.postrider.destination.Destination;
import io.postrider.observe.Observation;
import io.postrider.operate.Delivery;
import io.postrider.operate.DestinationStatus;
import io.postrider.operate.Ledger;
import io.postrider.policy.NodeLimits;
import io.postrider.policy.RetryPolicy;
import io.postrider.store.Store;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * A node that sends everything in its log to one destination, and remembers what it did.
 *
 * @param <T> the store's transaction handle
 */
final class Relay<T> implements AutoCloseable {
    /** Nothing here is to be retried; what is shows in the rows, and soon. */
    private static final RetryPolicy QUICK = RetryPolicy.DEFAULT
            .pauses(Duration.ofMillis(5), Duration.ofMillis(20))
            .attempts(3);

    private final List<Observation> observed = new CopyOnWriteArrayList<>();
    private final Store<T> store;
    private final Postrider<T> node;

    private Relay(Store<T> store) {
        this.store = store;
        this.node =
                Postrider.on(store, PostriderConfig.defaults().limits(limits()).observer(this::observe));
    }

    static <T> Relay<T> start(Store<T> store, Destination destination) {
        Relay<T> relay = new Relay<>(store);
        relay.node
                .subscribe(DestinationCase.SUBSCRIPTION)
                .to("**", destination)
                .retry(QUICK)
                .start();
        return relay;
    }

    private static NodeLimits limits() {
        return NodeLimits.builder()
                .payloadBytes(NodeLimits.PAYLOAD_BYTES_MAX)
                .pollMin(Duration.ofMillis(2))
                .pollMax(Duration.ofMillis(20))
                .subscriptions(s -> s.rereadEvery(Duration.ofMillis(200)).settleQuietEvery(Duration.ofMillis(200)))
                .backoffMax(Duration.ofMillis(100))
                .stopWait(Duration.ofSeconds(5))
                .pruneEvery(Duration.ofHours(1))
                .build();
    }

    private void observe(Observation observation) {
        if (!(observation instanceof Observation.Appended || observation instanceof Observation.Dispatched)) {
            observed.add(observation);
        }
    }

    void append(List<Event> events) {
        try {
            node.transaction(transaction -> node.outbox().append(transaction, events));
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    /** How its destination stands. */
    DestinationStatus status() {
        return node.operator().destinations().get(0);
    }

    Ledger ledger() {
        return store.browse().ledger(DestinationCase.SUBSCRIPTION);
    }

    List<Delivery> dead() {
        return store.browse().deliveries(DestinationCase.SUBSCRIPTION, Delivery.Status.DEAD, Position.ZERO, 1_000);
    }

    /** Every delivery row that was written: whatever did not settle at once. */
    List<Delivery> rows() {
        return observed(Observation.Settled.class).stream()
                .flatMap(settled -> settled.rows().stream())
                .toList();
    }

    <O extends Observation> List<O> observed(Class<O> kind) {
        return observed.stream().filter(kind::isInstance).map(kind::cast).toList();
    }

    @Override
    public void close() {
        node.close();
    }
}
