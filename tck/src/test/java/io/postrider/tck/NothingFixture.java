package io.postrider.tck;

import io.postrider.EventId;
import io.postrider.store.Store;
import java.time.Duration;
import java.util.List;

/** A fixture that has no patience with a store that does nothing. */
final class NothingFixture implements StoreFixture<NothingStore.Transaction> {
    private final NothingStore store = new NothingStore();

    @Override
    public Store<NothingStore.Transaction> open() {
        return store;
    }

    @Override
    public Store<NothingStore.Transaction> open(int lanes) {
        return store;
    }

    @Override
    public Store<NothingStore.Transaction> another() {
        return store;
    }

    @Override
    public Store<NothingStore.Transaction> elsewhere() {
        return store;
    }

    @Override
    public Store<NothingStore.Transaction> reopen() {
        return store;
    }

    @Override
    public NothingStore.Transaction begin() {
        return new NothingStore.Transaction();
    }

    @Override
    public void commit(NothingStore.Transaction transaction) {}

    @Override
    public void rollback(NothingStore.Transaction transaction) {}

    @Override
    public void effect(NothingStore.Transaction transaction, String name) {}

    @Override
    public List<String> effects() {
        return List.of();
    }

    @Override
    public int segmentEvents() {
        return 0;
    }

    @Override
    public void refusedAtCommit(NothingStore.Transaction transaction) {}

    @Override
    public void breakOff(NothingStore.Transaction transaction) {}

    @Override
    public void refuseAtCommit(String payload) {}

    @Override
    public void damage(EventId id) {}

    @Override
    public void lose(EventId id) {}

    @Override
    public void refuseErrors(String text) {}

    @Override
    public Duration patience() {
        return Duration.ofMillis(20);
    }

    @Override
    public void close() {}
}
