package io.postrider.chaos;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

/** What the writers know: which events they committed, which they undid, and of which they cannot say. Thread-safe. */
final class WriterLedger {
    private final Map<UUID, Written> committed = new ConcurrentHashMap<>();
    private final Map<UUID, Written> unknown = new ConcurrentHashMap<>();
    private final Map<UUID, Written> undone = new ConcurrentHashMap<>();

    /** An event, and when the call that ended its transaction had returned. */
    record Written(NumberedEvent event, Moment at) {}

    void committed(List<NumberedEvent> events) {
        note(committed, events);
    }

    /** The commit failed, which says nothing about whether it took place. */
    void unknown(List<NumberedEvent> events) {
        note(unknown, events);
    }

    /** They were rolled back, or failed before a commit was asked for. */
    void undone(List<NumberedEvent> events) {
        note(undone, events);
    }

    private static void note(Map<UUID, Written> kind, List<NumberedEvent> events) {
        Moment now = Moment.now();
        events.forEach(event -> kind.put(event.id(), new Written(event, now)));
    }

    Map<UUID, Written> committed() {
        return Map.copyOf(committed);
    }

    Map<UUID, Written> unknown() {
        return Map.copyOf(unknown);
    }

    Map<UUID, Written> undone() {
        return Map.copyOf(undone);
    }

    /** What was committed this early and has not been seen, the oldest first. */
    List<Written> waiting(Receiver receiver, Moment committedBefore) {
        return committed.values().stream()
                .filter(written -> written.at().isBefore(committedBefore)
                        && !receiver.hasSeen(written.event().id()))
                .sorted(Comparator.comparing(Written::at))
                .toList();
    }
}
