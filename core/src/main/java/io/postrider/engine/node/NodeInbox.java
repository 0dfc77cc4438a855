package io.postrider.engine.node;

import io.postrider.Event;
import io.postrider.EventId;
import io.postrider.Transact;
import io.postrider.destination.Placed;
import io.postrider.engine.base.Abilities;
import io.postrider.engine.base.Observers;
import io.postrider.engine.receive.Intake;
import io.postrider.observe.Observation;
import io.postrider.store.Append;
import io.postrider.store.RefusedEventException;
import io.postrider.store.Store;
import io.postrider.store.StoreException;
import io.postrider.text.Failure;
import io.postrider.wire.Incoming;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Receives in transactions of its own, and wakes this node's lanes for what is new. */
public final class NodeInbox<T> implements Intake {
    private final Store<T> store;
    private final Abilities abilities;
    private final NodeOutbox<T> outbox;
    private final Transact<T> transact;
    private final Observers observers;

    /** @param transact transactions of the store's own, seen by the outbox */
    public NodeInbox(
            Store<T> store, Abilities abilities, NodeOutbox<T> outbox, Transact<T> transact, Observers observers) {
        this.store = store;
        this.abilities = abilities;
        this.outbox = outbox;
        this.transact = transact;
        this.observers = observers;
    }

    /** What is received and the record that it was are written together. */
    public static void requireTransactions(Abilities abilities, String source) {
        abilities.requireTransactions(
                "messages of '" + source + "' are received in transactions",
                "receive them into a log in a store that has transactions, and subscribe there");
    }

    @Override
    public Received receive(String source, List<Incoming> messages) {
        return receive(source, messages, null);
    }

    @Override
    public Received receive(String source, List<Incoming> messages, Placed.@Nullable Place newest) {
        requireTransactions(abilities, source);
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
        int stored = ordered.isEmpty() ? 0 : store(new Origin(source, newest), ordered, byEntry, refused);
        int repeated = messages.size() - stored - refused.size();
        observers.observe(new Observation.Received(source, stored, repeated));
        return new Received(stored, repeated, refused);
    }

    /** Where messages come from, and the newest place among them. */
    private record Origin(String source, Placed.@Nullable Place newest) {}

    /**
     * An event that the log refuses fails all of its transaction, so the half with it is looked for. Any other failure
     * is the store's own, and no message is to blame.
     */
    private int store(
            Origin origin, List<Append.Entry> entries, Map<Append.Entry, Incoming> messages, List<Refused> refused) {
        try {
            return commit(origin, entries);
        } catch (RefusedEventException e) {
            if (entries.size() == 1) {
                Incoming message = Objects.requireNonNull(messages.get(entries.get(0)));
                refused.add(new Refused(message, String.valueOf(e.getMessage())));
                return 0;
            }
            int half = entries.size() / 2;
            return store(origin, entries.subList(0, half), messages, refused)
                    + store(origin, entries.subList(half, entries.size()), messages, refused);
        }
    }

    private int commit(Origin origin, List<Append.Entry> entries) {
        return within(origin.source(), transaction -> {
            Set<EventId> stored = store.receive().receive(transaction, origin.source(), entries);
            if (origin.newest() != null) {
                store.receive().place(transaction, origin.source(), origin.newest());
            }
            outbox.announce(entries.stream()
                    .filter(entry -> stored.contains(entry.id()))
                    .toList());
            return stored.size();
        });
    }

    @Override
    public void place(String reader, Placed.Place place) {
        within(reader, transaction -> {
            store.receive().place(transaction, reader, place);
            return true;
        });
    }

    @Override
    public Optional<Placed.Place> newest(String reader) {
        return store.receive().newest(reader);
    }

    private <R> R within(String reader, Transact.Work<T, R> work) {
        try {
            return transact.transact(work);
        } catch (StoreException | RefusedEventException e) {
            throw e;
        } catch (Exception e) {
            if (store.receive().isRefused(e)) {
                throw new RefusedEventException("the log refuses the event at its commit: " + Failure.words(e), e);
            } else if (e instanceof RuntimeException unexpected) {
                throw unexpected;
            }
            throw new StoreException("the commit of what was received from '" + reader + "' was refused", e);
        }
    }
}
