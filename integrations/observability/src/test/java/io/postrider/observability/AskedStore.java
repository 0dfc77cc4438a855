package io.postrider.observability;

import io.postrider.Position;
import io.postrider.operate.Browse;
import io.postrider.operate.By;
import io.postrider.operate.Delivery;
import io.postrider.operate.Ledger;
import io.postrider.operate.Removal;
import io.postrider.policy.Start;
import io.postrider.store.Store;
import io.postrider.store.StoreException;
import io.postrider.store.Subscriptions;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

/** The side of a store that gauges see: it counts how often it is asked, and can fall silent. */
final class AskedStore implements Subscriptions, Browse {
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
    public Registered register(String subscription, Start start, String filter, String node) {
        return ask().register(subscription, start, filter, node);
    }

    @Override
    public Optional<String> takeBack(String subscription, String filter, Duration unheld, String node) {
        return ask().takeBack(subscription, filter, unheld, node);
    }

    @Override
    public Removed remove(String subscription, By by, Removal removal) {
        return ask().remove(subscription, by, removal);
    }

    @Override
    public List<String> list() {
        return ask().list();
    }

    @Override
    public Ledger ledger(String subscription) {
        throw new AssertionError("a gauge never counts what is pending");
    }

    @Override
    public Progress progress(String subscription) {
        return ask().progress(subscription);
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
        return ask().openAppendAge();
    }

    @Override
    public List<Delivery> deliveries(String subscription, Delivery.Status status, Position after, int limit) {
        return ask().deliveries(subscription, status, after, limit);
    }
}
