package io.postrider.tck;

import io.postrider.Counts;
import io.postrider.Lane;
import io.postrider.Ledger;
import io.postrider.Position;
import io.postrider.Start;
import io.postrider.spi.Cursor;
import io.postrider.spi.Delivery;
import io.postrider.spi.Ownership;
import io.postrider.spi.Page;
import io.postrider.spi.Search;
import io.postrider.spi.Settlement;
import io.postrider.spi.Snapshot;
import io.postrider.spi.Store;
import io.postrider.spi.Tasks;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** A store that answers everything and does nothing: no test of any suite may be content with it. */
final class NothingStore implements Store<NothingStore.Transaction> {

    /** Holds nothing. */
    record Transaction() {}

    @Override
    public Tasks tasks() {
        throw new UnsupportedOperationException("it does nothing");
    }

    @Override
    public Search search() {
        throw new UnsupportedOperationException("it does nothing");
    }

    @Override
    public Set<Limitation> limitations() {
        return Set.of(Limitation.NOT_DURABLE, Limitation.ONE_PROCESS);
    }

    @Override
    public void append(Transaction transaction, List<Entry> entries) {}

    @Override
    public <R> R transact(Work<Transaction, R> work) throws Exception {
        return work.run(new Transaction());
    }

    @Override
    public void register(String subscription, Start start, String filter) {}

    @Override
    public boolean remove(String subscription) {
        return false;
    }

    @Override
    public List<String> list() {
        return List.of();
    }

    @Override
    public Renewal renew(String node, Duration lease, Set<String> subscriptions) {
        return new Renewal(true, List.of(), Map.of());
    }

    @Override
    public void leave(String node) {}

    @Override
    public List<ClaimedLane> claim(Claimant claimant, List<Lane> held, int most) {
        return List.of();
    }

    @Override
    public void release(List<Ownership> ownerships) {}

    @Override
    public Page read(Ownership ownership, Cursor cursor, int maxEvents, long maxBytes) {
        return new Page(List.of(), List.of(), Snapshot.NOTHING, 1, 0, true, true);
    }

    @Override
    public List<Delivery> deliveries(Ownership ownership, Wanted rows) {
        return List.of();
    }

    @Override
    public List<ClaimedDelivery> claim(Ownership ownership, List<Position> positions) {
        return List.of();
    }

    @Override
    public boolean settle(Settlement settlement) {
        return false;
    }

    @Override
    public News watch(Cursor cursor) {
        return new News(Set.of(), Set.of(), cursor);
    }

    @Override
    public Cursor now() {
        return Cursor.after(0);
    }

    @Override
    public Pruned prune(Duration retain) {
        return new Pruned(0, 0);
    }

    @Override
    public Ledger ledger(String subscription) {
        return new Ledger(Counts.NONE, 0);
    }

    @Override
    public Progress progress(String subscription) {
        return new Progress(Counts.NONE, 0, null);
    }

    @Override
    public List<Delivery> deliveries(String subscription, Delivery.Status status, Position after, int limit) {
        return List.of();
    }

    @Override
    public boolean replay(String subscription, Position position) {
        return false;
    }

    @Override
    public boolean discard(String subscription, Position position) {
        return false;
    }
}
