package io.postrider.memory;

import io.postrider.EventId;
import io.postrider.Transact;
import io.postrider.store.Processed;
import io.postrider.store.Receive;
import io.postrider.store.SettleWithin;
import io.postrider.store.Store;
import io.postrider.store.Store.Limitation;
import io.postrider.tck.StoreFixture;
import io.postrider.tck.StorePorts;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** A memory store that declares more limitations than it has, and throws where it would lack the ability. */
final class LimitedFixture implements StoreFixture<MemoryTransaction> {
    private final StoreFixture<MemoryTransaction> memory = new MemoryFixture();
    private final Set<Limitation> lacks;

    LimitedFixture(Limitation... lacks) {
        this.lacks = Set.of(lacks);
    }

    private Store<MemoryTransaction> limited(Store<MemoryTransaction> store) {
        Set<Limitation> all = new TreeSet<>(store.limitations());
        all.addAll(lacks);
        return StorePorts.of(declaring(store, all), (method, call) -> {
            if (isLacking(method)) {
                throw new UnsupportedOperationException(method + " is beyond a store with " + lacks);
            }
            return call.now();
        });
    }

    @SuppressWarnings("unchecked")
    private static Store<MemoryTransaction> declaring(Store<MemoryTransaction> store, Set<Limitation> all) {
        return (Store<MemoryTransaction>) StorePorts.on(
                Store.class,
                store,
                (method, call) -> method.getName().equals("limitations") ? Set.copyOf(all) : call.now());
    }

    private boolean isLacking(Method method) {
        boolean transactional = StorePorts.is(method, Transact.class, "transact")
                || StorePorts.is(method, Processed.class, "first")
                || StorePorts.is(method, Processed.class, "record")
                || StorePorts.is(method, Receive.class, "receive")
                || StorePorts.is(method, Receive.class, "place")
                || StorePorts.is(method, SettleWithin.class, "settle");
        boolean partial =
                StorePorts.is(method, SettleWithin.class, "mark") || StorePorts.is(method, SettleWithin.class, "undo");
        return transactional && lacks.contains(Limitation.NO_TRANSACTIONS)
                || partial && lacks.contains(Limitation.NO_SAVEPOINTS);
    }

    @Override
    public Store<MemoryTransaction> open() {
        return limited(memory.open());
    }

    @Override
    public Store<MemoryTransaction> open(int lanes) {
        return limited(memory.open(lanes));
    }

    @Override
    public Store<MemoryTransaction> another() {
        return limited(memory.another());
    }

    @Override
    public Store<MemoryTransaction> elsewhere() {
        return limited(memory.elsewhere());
    }

    @Override
    public Store<MemoryTransaction> reopen() {
        return limited(memory.reopen());
    }

    @Override
    public MemoryTransaction begin() {
        return memory.begin();
    }

    @Override
    public void commit(MemoryTransaction transaction) {
        memory.commit(transaction);
    }

    @Override
    public void rollback(MemoryTransaction transaction) {
        memory.rollback(transaction);
    }

    @Override
    public void effect(MemoryTransaction transaction, String name) throws Exception {
        memory.effect(transaction, name);
    }

    @Override
    public void refusedAtCommit(MemoryTransaction transaction) throws Exception {
        memory.refusedAtCommit(transaction);
    }

    @Override
    public void breakOff(MemoryTransaction transaction) throws Exception {
        memory.breakOff(transaction);
    }

    @Override
    public void refuseAtCommit(String text) {
        memory.refuseAtCommit(text);
    }

    @Override
    public void damage(EventId id) {
        memory.damage(id);
    }

    @Override
    public void lose(EventId id) {
        memory.lose(id);
    }

    @Override
    public void refuseErrors(String text) {
        memory.refuseErrors(text);
    }

    @Override
    public List<String> effects() {
        return memory.effects();
    }

    @Override
    public int segmentEvents() {
        return memory.segmentEvents();
    }

    @Override
    public void close() {
        memory.close();
    }
}
