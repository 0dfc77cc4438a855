package io.postrider.observability;

import io.postrider.Position;
import io.postrider.operate.Browse;
import io.postrider.operate.Delivery;
import io.postrider.operate.Ledger;
import io.postrider.store.Store;
import io.postrider.store.StoreException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

/** The side of a store that gauges see: it counts how often it is asked, and can fall silent. */
final class AskedStore implements Browse {
    private final Store<?> store;
    private final AtomicInteger asked = new AtomicInteger();
    private volatile boolean silent;

    AskedStore(Store<?> store) {
        this.store = store;
    }

    void silent(boolean isSilent) {
        silent = isSilent;
    }

    int asked() {
        return asked.get();
    }

    private Store<?> ask() {
        asked.incrementAndGet();
        if (silent) {
            throw new StoreException("no route to the store");
        }
        return store;
    }

    @Override
    public List<String> subscriptions() {
        return ask().browse().subscriptions();
    }

    @Override
    public Ledger ledger(String subscription) {
        throw new AssertionError("a gauge never counts what is pending");
    }

    @Override
    public Progress progress(String subscription) {
        return ask().browse().progress(subscription);
    }

    @Override
    public Progress progressWithOpenAppend(String subscription) {
        throw new AssertionError("a gauge never lists locks for each subscription");
    }

    @Override
    public List<OpenAppend> openAppends(int limit) {
        throw new AssertionError("a gauge needs the age alone");
    }

    @Override
    public Optional<Duration> openAppendAge() {
        return ask().browse().openAppendAge();
    }

    @Override
    public List<Delivery> deliveries(String subscription, Delivery.Status status, Position after, int limit) {
        return ask().browse().deliveries(subscription, status, after, limit);
    }
}
