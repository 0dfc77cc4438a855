package io.postrider.chaos;

import java.sql.SQLException;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;

/** What the writers know: which events they committed, which they undid, and of which they cannot say. Thread-safe. */
final class WriterLedger {
    private final Map<UUID, Written> committed = new ConcurrentHashMap<>();
    private final Map<UUID, Written> unknown = new ConcurrentHashMap<>();
    private final Map<UUID, Written> undone = new ConcurrentHashMap<>();
    private final Queue<Failure> failures = new ConcurrentLinkedQueue<>();

    /** An event, when the end of its transaction was asked for, and when the call had returned. */
    record Written(NumberedEvent event, Moment asked, Moment at) {}

    /**
     * A transaction that failed.
     *
     * @param down because PostgreSQL could not be reached, or was short of something
     */
    record Failure(boolean down, String why) {}

    void committed(List<NumberedEvent> events) {
        committed(events, Moment.now());
    }

    /** @param asked before the commit was sent */
    void committed(List<NumberedEvent> events, Moment asked) {
        note(committed, events, asked);
    }

    /** The commit failed, which says nothing about whether it took place. */
    void unknown(List<NumberedEvent> events) {
        note(unknown, events, Moment.now());
    }

    /** They were rolled back, or failed before a commit was asked for. */
    void undone(List<NumberedEvent> events) {
        note(undone, events, Moment.now());
    }

    private static void note(Map<UUID, Written> kind, List<NumberedEvent> events, Moment asked) {
        Moment now = Moment.now();
        events.forEach(event -> kind.put(event.id(), new Written(event, asked, now)));
    }

    void failed(boolean down, SQLException e) {
        failures.add(new Failure(down, e.getSQLState() + " " + e.getMessage()));
    }

    /** Transactions that failed, in that order. */
    List<Failure> failures() {
        return List.copyOf(failures);
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
