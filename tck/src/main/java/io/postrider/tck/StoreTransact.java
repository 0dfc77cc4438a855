package io.postrider.tck;

import io.postrider.Postrider;
import io.postrider.PostriderConfig;
import io.postrider.Transact;
import io.postrider.store.Store;
import java.time.Duration;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Function;

/**
 * A Transact on the data of a store's fixture: the store's own, or another one on the same data.
 *
 * @param <T> the store's transaction handle
 */
public final class StoreTransact<T> implements TransactFixture<T> {
    private final StoreFixture<T> fixture;
    private final Store<T> store;
    private final Function<PostriderConfig, Postrider<T>> node;

    private StoreTransact(StoreFixture<T> fixture, BiFunction<Store<T>, PostriderConfig, Postrider<T>> node) {
        this.fixture = fixture;
        this.store = fixture.open();
        this.node = config -> node.apply(store, config);
    }

    /** The store's own. */
    public static <T> TransactFixture<T> own(StoreFixture<T> fixture) {
        return new StoreTransact<>(fixture, Postrider::on);
    }

    /** Another one, made for the store. */
    public static <T> TransactFixture<T> of(StoreFixture<T> fixture, Function<Store<T>, Transact<T>> transact) {
        return new StoreTransact<>(fixture, (store, config) -> Postrider.on(store, config, transact.apply(store)));
    }

    @Override
    public Store<T> store() {
        return store;
    }

    @Override
    public Postrider<T> node(PostriderConfig config) {
        return node.apply(config);
    }

    @Override
    public void effect(T transaction, String name) throws Exception {
        fixture.effect(transaction, name);
    }

    @Override
    public List<String> effects() {
        return fixture.effects();
    }

    @Override
    public void refusedAtCommit(T transaction) throws Exception {
        fixture.refusedAtCommit(transaction);
    }

    @Override
    public void breakOff(T transaction) throws Exception {
        fixture.breakOff(transaction);
    }

    @Override
    public void commit(T transaction) {
        fixture.commit(transaction);
    }

    @Override
    public Duration patience() {
        return fixture.patience();
    }

    @Override
    public void close() {
        fixture.close();
    }
}
