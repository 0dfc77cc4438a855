package io.postrider.tck;

import io.postrider.EventId;
import io.postrider.Lane;
import io.postrider.Position;
import io.postrider.Transact;
import io.postrider.destination.Placed;
import io.postrider.operate.Audit;
import io.postrider.operate.Browse;
import io.postrider.operate.Counts;
import io.postrider.operate.DeadEvents;
import io.postrider.operate.Delivery;
import io.postrider.operate.Ledger;
import io.postrider.operate.Operate;
import io.postrider.operate.Operations;
import io.postrider.operate.Search;
import io.postrider.policy.Start;
import io.postrider.store.Append;
import io.postrider.store.Chunks;
import io.postrider.store.Claim;
import io.postrider.store.Cursor;
import io.postrider.store.Foresee;
import io.postrider.store.Horizon;
import io.postrider.store.Join;
import io.postrider.store.Ownership;
import io.postrider.store.Page;
import io.postrider.store.Park;
import io.postrider.store.Processed;
import io.postrider.store.Prune;
import io.postrider.store.Receive;
import io.postrider.store.Renew;
import io.postrider.store.Retain;
import io.postrider.store.Seals;
import io.postrider.store.Settle;
import io.postrider.store.SettleWithin;
import io.postrider.store.Settlement;
import io.postrider.store.Store;
import io.postrider.store.Subscriptions;
import io.postrider.store.Tasks;
import io.postrider.store.Watch;
import io.postrider.store.snapshot.Snapshot;
import io.postrider.store.snapshot.SnapshotCursor;
import io.postrider.store.snapshot.SnapshotPage;
import io.postrider.store.snapshot.SnapshotRead;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** A store that answers everything and does nothing: no test of any suite may be content with it. */
final class NothingStore implements Store<NothingStore.Transaction> {

    /** Holds nothing. */
    record Transaction() {}

    @Override
    public String log() {
        return "nothing";
    }

    @Override
    public int lanes() {
        return 0;
    }

    @Override
    public Park park() {
        throw new UnsupportedOperationException("it does nothing");
    }

    @Override
    public Tasks tasks() {
        throw new UnsupportedOperationException("it does nothing");
    }

    @Override
    public Operate operate() {
        throw new UnsupportedOperationException("it does nothing");
    }

    @Override
    public Search search() {
        throw new UnsupportedOperationException("it does nothing");
    }

    @Override
    public Retain retain() {
        throw new UnsupportedOperationException("it does nothing");
    }

    @Override
    public DeadEvents deadEvents() {
        throw new UnsupportedOperationException("it does nothing");
    }

    @Override
    public Seals seals() {
        throw new UnsupportedOperationException("it does nothing");
    }

    @Override
    public Foresee foresee() {
        throw new UnsupportedOperationException("it does nothing");
    }

    @Override
    public Audit audit() {
        throw new UnsupportedOperationException("it does nothing");
    }

    @Override
    public Operations operations() {
        throw new UnsupportedOperationException("it does nothing");
    }

    @Override
    public Chunks chunks() {
        throw new UnsupportedOperationException("it does nothing");
    }

    @Override
    public Set<Limitation> limitations() {
        return Set.of(Limitation.NOT_DURABLE, Limitation.ONE_PROCESS);
    }

    @Override
    public Processed<Transaction> processed() {
        return new Processed<>() {
            @Override
            public boolean first(Transaction transaction, EventId event, String handler) {
                return false;
            }

            @Override
            public Recorded record(Transaction transaction, EventId event, String subscription) {
                return Recorded.REPEATED;
            }

            @Override
            public boolean forget(Duration age) {
                return false;
            }
        };
    }

    @Override
    public Receive<Transaction> receive() {
        return new Receive<>() {
            @Override
            public Set<EventId> receive(Transaction transaction, String source, List<Append.Entry> entries) {
                return Set.of();
            }

            @Override
            public boolean isRefused(Exception commit) {
                return false;
            }

            @Override
            public void place(Transaction transaction, String reader, Placed.Place place) {}

            @Override
            public Optional<Placed.Place> newest(String reader) {
                return Optional.empty();
            }

            @Override
            public long repeated(String source) {
                return 0;
            }

            @Override
            public boolean forget(Duration age) {
                return false;
            }
        };
    }

    @Override
    public SettleWithin<Transaction> settleWithin() {
        return new SettleWithin<>() {
            @Override
            public void mark(Transaction transaction) {}

            @Override
            public void undo(Transaction transaction) {}

            @Override
            public boolean settle(Transaction transaction, Settlement settlement) {
                return false;
            }
        };
    }

    @Override
    public Append<Transaction> append() {
        return new Append<Transaction>() {
            @Override
            public void append(Transaction transaction, List<Append.Entry> entries) {}

            @Override
            public boolean mayWait(Transaction transaction, Runnable writeNow) {
                return false;
            }

            @Override
            public void appendAndCommit(Transaction transaction, List<Append.Entry> entries) {}
        };
    }

    @Override
    public Transact<Transaction> transact() {
        return new Transact<Transaction>() {
            @Override
            public <R> R transact(Work<Transaction, R> work) throws Exception {
                return work.run(new Transaction());
            }
        };
    }

    @Override
    public Horizon horizon() {
        return () -> Position.ZERO;
    }

    @Override
    public Join<Transaction> join() {
        return new Join<>() {
            @Override
            public Joined<Transaction> join(Transaction transaction) {
                throw new UnsupportedOperationException("it does nothing");
            }

            @Override
            public boolean isUnanswered(Throwable failure) {
                return false;
            }
        };
    }

    @Override
    public Subscriptions subscriptions() {
        return new Subscriptions() {
            @Override
            public Registered register(String subscription, Start start, String filter, String node) {
                return Registered.FOUND;
            }

            @Override
            public Optional<String> takeBack(String subscription, String filter, Duration unheld, String node) {
                return Optional.empty();
            }
        };
    }

    @Override
    public Renew renew() {
        return new Renew() {
            @Override
            public Renewal renew(String node, Duration lease, Set<String> sharing, Map<String, String> filters) {
                return new Renewal(true, List.of(), Map.of(), Asked.NOTHING, Instant.EPOCH);
            }

            @Override
            public boolean extend(String node, Duration lease) {
                return false;
            }

            @Override
            public void leave(String node) {}
        };
    }

    @Override
    public Claim claim() {
        return new Claim() {
            @Override
            public List<ClaimedLane> claim(Claimant claimant, List<Lane> held, int most) {
                return List.of();
            }

            @Override
            public int release(List<Ownership> ownerships) {
                return 0;
            }

            @Override
            public Page read(Ownership ownership, Cursor cursor, int maxEvents, long maxBytes) {
                return new SnapshotPage(
                        SnapshotCursor.of(cursor),
                        new SnapshotRead(List.of(), List.of(), Snapshot.NOTHING, 1, 0, true, true));
            }

            @Override
            public List<ClaimedDelivery> claim(Ownership ownership, List<Position> positions) {
                return List.of();
            }
        };
    }

    @Override
    public Settle settle() {
        return new Settle() {
            @Override
            public boolean settle(Settlement settlement) {
                return false;
            }
        };
    }

    @Override
    public Watch watch() {
        return new Watch() {
            @Override
            public News watch(Cursor cursor) {
                return new News(Map.of(), Set.of(), cursor);
            }

            @Override
            public Cursor now() {
                return SnapshotCursor.after(0);
            }
        };
    }

    @Override
    public Prune prune() {
        return new Prune() {
            @Override
            public Pruned prune(Duration retain) {
                return new Pruned(0, 0, 0, 0);
            }
        };
    }

    @Override
    public Browse browse() {
        return new Browse() {
            @Override
            public List<String> subscriptions() {
                return List.of();
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
            public List<OpenAppend> openAppends(int limit) {
                return List.of();
            }

            @Override
            public Optional<Duration> openAppendAge() {
                return Optional.empty();
            }

            @Override
            public List<Delivery> deliveries(String subscription, Delivery.Status status, Position after, int limit) {
                return List.of();
            }
        };
    }
}
