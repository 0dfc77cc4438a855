package io.postrider.memory;

import io.postrider.EventId;
import io.postrider.destination.Placed;
import io.postrider.store.Append;
import io.postrider.store.Receive;
import io.postrider.store.RefusedException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Receive: a record for each message, in the order of their ids, so that two who receive the same do not deadlock. */
final class MemoryReceive implements Receive<MemoryTransaction> {
    private final MemoryState state;
    private final MemoryAppend append;

    /** A message that was received. */
    record Key(EventId id, String source) {}

    MemoryReceive(MemoryState state, MemoryAppend append) {
        this.state = state;
        this.append = append;
    }

    @Override
    public Set<EventId> receive(MemoryTransaction transaction, String source, List<Append.Entry> entries) {
        append.requireGood(transaction, entries);
        Map<EventId, Append.Entry> fresh = new LinkedHashMap<>();
        entries.forEach(entry -> fresh.putIfAbsent(entry.id(), entry));
        synchronized (state) {
            for (EventId id : fresh.keySet().stream().sorted().toList()) {
                if (!state.received.first(transaction, new Key(id, source))) {
                    fresh.remove(id);
                }
            }
            append.append(transaction, List.copyOf(fresh.values()));
            long repeated = entries.size() - fresh.size();
            if (repeated > 0) {
                transaction.onCommit(() -> state.repeated.merge(source, repeated, Long::sum));
            }
        }
        return new LinkedHashSet<>(fresh.keySet());
    }

    @Override
    public void place(MemoryTransaction transaction, String reader, Placed.Place place) {
        transaction.onCommit(
                () -> state.places.merge(reader, place, (one, other) -> one.compareTo(other) > 0 ? one : other));
    }

    @Override
    public Optional<Placed.Place> newest(String reader) {
        synchronized (state) {
            return Optional.ofNullable(state.places.get(reader));
        }
    }

    @Override
    public boolean isRefused(Exception commit) {
        return commit instanceof RefusedException;
    }

    @Override
    public long repeated(String source) {
        synchronized (state) {
            return state.repeated.getOrDefault(source, 0L);
        }
    }

    @Override
    public boolean forget(Duration age) {
        synchronized (state) {
            return state.received.forget(state.now().minus(age), key -> true);
        }
    }
}
