package io.postrider.simulation;

import io.postrider.EventId;
import io.postrider.StoredEvent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The oracle's books of the log: what was committed, what was not, and what is wrong with it. */
final class LogBooks {
    private final Map<EventId, Committed> committed = new LinkedHashMap<>();
    private final Map<String, List<Committed>> byKey = new HashMap<>();
    private final Set<EventId> rolledBack = new HashSet<>();
    private final Set<EventId> vanished = new HashSet<>();
    /** Of which no event can be made any more. */
    private final Set<EventId> damaged = new HashSet<>();
    /** Of which no event could ever be made. */
    private final Set<EventId> unreadable = new HashSet<>();

    /** An event that was committed. */
    record Committed(EventId id, String key, String type, boolean expires, Flaw flaw) {}

    void committed(List<EventId> ids, List<Action.Item> items) {
        for (int i = 0; i < ids.size(); i++) {
            Action.Item item = items.get(i);
            boolean expires = !item.expiresIn().equals(Duration.ZERO);
            Committed event = new Committed(ids.get(i), item.key(), item.type(), expires, item.flaw());
            committed.put(event.id(), event);
            byKey.computeIfAbsent(event.key(), key -> new ArrayList<>()).add(event);
        }
    }

    void rolledBack(List<EventId> ids) {
        rolledBack.addAll(ids);
    }

    /** A crash of the store took these with it: nobody was promised anything about them. */
    void vanished(List<StoredEvent> events) {
        for (StoredEvent event : events) {
            Committed gone = committed.remove(event.id());
            if (gone != null) {
                byKey.getOrDefault(gone.key(), new ArrayList<>()).remove(gone);
            }
            vanished.add(event.id());
        }
    }

    /** From now on no event can be made of it. */
    void damaged(EventId id) {
        damaged.add(id);
        if (!committed.containsKey(id)) {
            unreadable.add(id);
        }
    }

    Collection<Committed> events() {
        return committed.values();
    }

    List<Committed> ofKey(String key) {
        return byKey.getOrDefault(key, List.of());
    }

    boolean isCommitted(EventId id) {
        return committed.containsKey(id) && !rolledBack.contains(id);
    }

    boolean isVanished(EventId id) {
        return vanished.contains(id);
    }

    boolean isUnreadable(EventId id) {
        return unreadable.contains(id);
    }

    boolean isDamaged(EventId id) {
        return damaged.contains(id);
    }

    /** Whether any row is refused with which it would wait. */
    boolean isUnparkable(EventId id) {
        Committed event = committed.get(id);
        return event != null && event.flaw() == Flaw.UNPARKABLE;
    }

    /** Whether every version of a subscription takes it. */
    boolean isTakenBy(Subscribed subscription, EventId id) {
        Committed event = committed.get(id);
        return event != null && subscription.takes(event.type());
    }
}
