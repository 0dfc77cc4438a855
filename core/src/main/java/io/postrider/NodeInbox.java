package io.postrider;

import io.postrider.engine.Observers;
import io.postrider.spi.Append;
import io.postrider.spi.Store;
import io.postrider.spi.StoreException;
import io.postrider.wire.Incoming;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/** Receives in transactions of its own, and wakes this node's lanes for what is new. */
final class NodeInbox<T> implements Inbox {
    private final Store<T> store;
    private final NodeOutbox<T> outbox;
    private final Observers observers;

    NodeInbox(Store<T> store, NodeOutbox<T> outbox, Observers observers) {
        this.store = store;
        this.outbox = outbox;
        this.observers = observers;
    }

    @Override
    public Received receive(String source, List<Incoming> messages) {
        if (source.isBlank() || source.length() > Event.NAME_MAX || source.indexOf('\0') >= 0) {
            throw new IllegalArgumentException("a source's name has 1 to " + Event.NAME_MAX
                    + " characters, none of them NUL, got '" + source + "'");
        }
        List<Refused> refused = new ArrayList<>();
        Map<Append.Entry, Incoming> byEntry = new IdentityHashMap<>();
        List<Append.Entry> ordered = new ArrayList<>(messages.size());
        for (Incoming message : messages) {
            try {
                Append.Entry entry = outbox.entryOf(message.from(source));
                ordered.add(entry);
                byEntry.put(entry, message);
            } catch (IllegalArgumentException e) {
                refused.add(new Refused(message, String.valueOf(e.getMessage())));
            }
        }
        int stored = ordered.isEmpty() ? 0 : store(source, ordered, byEntry, refused);
        int repeated = messages.size() - stored - refused.size();
        observers.observe(new Observation.Received(source, stored, repeated));
        return new Received(stored, repeated, refused);
    }

    /** What the store refuses fails all of a transaction, so the half that has it is looked for. */
    private int store(
            String source, List<Append.Entry> entries, Map<Append.Entry, Incoming> messages, List<Refused> refused) {
        try {
            return commit(source, entries);
        } catch (IllegalArgumentException e) {
            if (entries.size() == 1) {
                Incoming message = Objects.requireNonNull(messages.get(entries.get(0)));
                refused.add(new Refused(message, String.valueOf(e.getMessage())));
                return 0;
            }
            int half = entries.size() / 2;
            return store(source, entries.subList(0, half), messages, refused)
                    + store(source, entries.subList(half, entries.size()), messages, refused);
        }
    }

    private int commit(String source, List<Append.Entry> entries) {
        try {
            return outbox.transact(transaction -> {
                Set<EventId> stored = store.receive().receive(transaction, source, entries);
                outbox.announce(entries.stream()
                        .filter(entry -> stored.contains(entry.id()))
                        .toList());
                return stored.size();
            });
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new StoreException("the commit of what was received from '" + source + "' was refused", e);
        }
    }
}
