package io.postrider.engine.node;

import io.postrider.AppendMode;
import io.postrider.Environment;
import io.postrider.Event;
import io.postrider.EventContext;
import io.postrider.EventId;
import io.postrider.Json;
import io.postrider.Lane;
import io.postrider.Outbox;
import io.postrider.PostriderConfig;
import io.postrider.Transact;
import io.postrider.TransactionOutbox;
import io.postrider.engine.base.CurrentEvent;
import io.postrider.engine.base.Observers;
import io.postrider.observe.Observation;
import io.postrider.observe.Observation.Appended.Written;
import io.postrider.store.Append;
import io.postrider.store.Store;
import io.postrider.store.Watch;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Appends, and wakes this node's lanes: exactly after a commit it can see, by a burst of looks otherwise. */
public final class NodeOutbox<T> implements Outbox<T> {
    private static final String NO_TRANSACTION =
            "an event is appended in a transaction of the caller's, such as a JDBC connection, got null";

    private final Store<T> store;
    private final Json json;
    private final int payloadBytes;
    private final Environment environment;
    private final Node node;
    private final Observers observers;
    /** The transaction of the node's own that this thread works in. */
    private final ThreadLocal<@Nullable OwnTransaction<T>> own = new ThreadLocal<>();

    public NodeOutbox(Store<T> store, PostriderConfig config, Environment environment, Node node, Observers observers) {
        this.store = store;
        this.json = config.json();
        this.payloadBytes = config.limits().payloadBytes();
        this.environment = environment;
        this.node = node;
        this.observers = observers;
    }

    @Override
    public EventId append(T transaction, Event event) {
        return append(transaction, List.of(event)).get(0);
    }

    @Override
    public List<EventId> append(T transaction, List<Event> events) {
        return append(transaction, events, this::announce);
    }

    private List<EventId> append(T transaction, List<Event> events, Consumer<Set<Integer>> announce) {
        Objects.requireNonNull(transaction, NO_TRANSACTION);
        if (events.isEmpty()) {
            return List.of();
        }
        List<Written> written = events.stream().map(this::written).toList();
        List<Append.Entry> entries = written.stream().map(this::entryOf).toList();
        OwnTransaction<T> within = own.get();
        if (within == null) {
            store.append().append(transaction, entries);
        } else {
            within.append(transaction, entries);
        }
        announce.accept(hashes(entries));
        observers.observe(new Observation.Appended(written));
        return written.stream().map(Written::id).toList();
    }

    /** As it is written: with an id, and with what its cause and the observers add. */
    private Written written(Event event) {
        EventContext cause = CurrentEvent.get();
        Event caused = observers.appending(cause == null ? event : cause.cause(event));
        EventId id = caused.id();
        return new Written(id != null ? id : EventId.draw(environment.now(), environment.random()), caused);
    }

    /** The same transactions; the lanes of what is appended in one are woken once it has committed. */
    public Transact<T> seen(Transact<T> transact) {
        return seen(transact, AppendMode.AT_ONCE);
    }

    /** The same with a choice of when events are written; a mode that is not at once is for the store's own. */
    public Transact<T> seen(Transact<T> transact, AppendMode mode) {
        return new Transact<>() {
            @Override
            public <R> R transact(Work<T, R> work) throws Exception {
                OwnTransaction<T> outer = own.get();
                OwnTransaction<T> within = new OwnTransaction<>(store.append(), mode, outer);
                own.set(within);
                R result;
                try {
                    result = transact.transact(transaction -> within.run(transaction, work));
                } finally {
                    own.set(outer);
                }
                wake(within.hashes());
                return result;
            }
        };
    }

    /** Appends of one transaction, whose commit the caller sees. */
    public TransactionOutbox<T> ofTransaction() {
        return new OfTransaction();
    }

    void announce(List<Append.Entry> entries) {
        announce(hashes(entries));
    }

    private void announce(Set<Integer> woken) {
        OwnTransaction<T> within = own.get();
        if (within == null) {
            node.expect();
        } else {
            within.announce(woken);
        }
    }

    private void wake(Set<Integer> hashes) {
        node.wake(lane ->
                hashes.stream().anyMatch(hash -> Lane.of(hash, store.lanes()).equals(lane))
                        ? Watch.Commits.UNREAD
                        : null);
    }

    private static Set<Integer> hashes(List<Append.Entry> entries) {
        Set<Integer> hashes = new HashSet<>();
        entries.forEach(entry -> hashes.add(Lane.hash(entry.key(), entry.id())));
        return hashes;
    }

    /** The lanes that a commit is to wake. No burst of looks begins meanwhile: nobody knows how long it takes. */
    private final class OfTransaction implements TransactionOutbox<T> {
        private final Set<Integer> hashes = new HashSet<>();

        @Override
        public EventId append(T transaction, Event event) {
            return append(transaction, List.of(event)).get(0);
        }

        @Override
        public List<EventId> append(T transaction, List<Event> events) {
            return NodeOutbox.this.append(transaction, events, this::note);
        }

        private void note(Set<Integer> woken) {
            synchronized (hashes) {
                hashes.addAll(woken);
            }
            if (own.get() != null) {
                announce(woken); // in a transaction of the node's own, which wakes them too
            }
        }

        @Override
        public void committed() {
            Set<Integer> woken;
            synchronized (hashes) {
                woken = Set.copyOf(hashes);
                hashes.clear();
            }
            wake(woken);
        }
    }

    private Append.Entry entryOf(Written written) {
        return entryOf(written.event().id(written.id()));
    }

    /** An event that has an id, ready to be written. */
    Append.Entry entryOf(Event caused) {
        return new Append.Entry(
                Objects.requireNonNull(caused.id(), "id"),
                caused.type(),
                caused.key(),
                json.encode(caused.type(), caused.payload(), payloadBytes),
                caused.headers(),
                caused.tenant(),
                caused.schedule());
    }
}
