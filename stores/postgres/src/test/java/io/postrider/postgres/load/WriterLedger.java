package io.postrider.postgres.load;

import java.time.Instant;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;

/** What the writers know: which events they committed and when, and which they undid. Thread-safe. */
final class WriterLedger {
    private final Queue<Commit> commits = new ConcurrentLinkedQueue<>();
    private final Set<UUID> undone = ConcurrentHashMap.newKeySet();

    /** An event, and when the commit of its transaction had returned. */
    record Commit(NumberedEvent event, Instant at) {}

    void committed(List<NumberedEvent> events) {
        Instant now = Instant.now();
        events.forEach(event -> commits.add(new Commit(event, now)));
    }

    void undone(List<NumberedEvent> events) {
        events.forEach(event -> undone.add(event.id()));
    }

    List<Commit> commits() {
        return List.copyOf(commits);
    }

    List<NumberedEvent> events() {
        return commits.stream().map(Commit::event).toList();
    }

    Set<UUID> undone() {
        return Set.copyOf(undone);
    }
}
