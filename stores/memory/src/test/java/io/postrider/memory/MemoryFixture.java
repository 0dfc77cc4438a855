package io.postrider.memory;

import io.postrider.EventId;
import io.postrider.store.Claim;
import io.postrider.store.Store;
import io.postrider.tck.StoreFixture;
import java.time.InstantSource;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** A memory store for one test. */
final class MemoryFixture implements StoreFixture<MemoryTransaction> {
    private final List<String> effects = new CopyOnWriteArrayList<>();
    private @Nullable MemoryStore store;

    @Override
    public Store<MemoryTransaction> open() {
        store = MemoryStore.create();
        return store;
    }

    @Override
    public Store<MemoryTransaction> open(int lanes) {
        store = MemoryStore.create(InstantSource.system(), lanes);
        return store;
    }

    @Override
    public Store<MemoryTransaction> another() {
        return store();
    }

    @Override
    public Store<MemoryTransaction> elsewhere() {
        return open();
    }

    @Override
    public Store<MemoryTransaction> reopen() {
        return open();
    }

    @Override
    public MemoryTransaction begin() {
        return store().begin();
    }

    @Override
    public void commit(MemoryTransaction transaction) {
        transaction.commit();
    }

    @Override
    public void rollback(MemoryTransaction transaction) {
        transaction.rollback();
    }

    @Override
    public void effect(MemoryTransaction transaction, String name) {
        transaction.onCommit(() -> effects.add(name));
    }

    @Override
    public void refusedAtCommit(MemoryTransaction transaction) {
        transaction.beforeCommit(() -> {
            throw new ArithmeticException(REFUSED);
        });
    }

    @Override
    public void breakOff(MemoryTransaction transaction) {
        transaction.breakOff();
    }

    @Override
    public void refuseAtCommit(String text) {
        store().refuseAtCommit(event -> event.payload().contains(text));
    }

    @Override
    public void damage(EventId id) {
        store().damage(id, "the suite has damaged it");
    }

    /** Its delivery rows have the event themselves, and never lose it: they are told that they have. */
    @Override
    public void lose(EventId id) {
        store().damage(id, Claim.ClaimedDelivery.GONE);
    }

    @Override
    public void refuseErrors(String text) {
        store().refuse(row -> row.error() != null && row.error().contains(text));
    }

    @Override
    public List<String> effects() {
        return List.copyOf(effects);
    }

    @Override
    public int segmentEvents() {
        return 0;
    }

    @Override
    public void close() {}

    private MemoryStore store() {
        return Objects.requireNonNull(store, "open comes first");
    }
}
