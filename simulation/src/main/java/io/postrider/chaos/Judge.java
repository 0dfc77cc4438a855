package io.postrider.chaos;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Compares what was committed with what arrived, by the first arrival of each event. */
final class Judge {
    /** An event that comes later than this after its commit is late, and the engine has not caught up. */
    static final Duration LATE = Duration.ofSeconds(1);

    private final Map<UUID, NumberedEvent> committed = new HashMap<>();
    private final Map<UUID, Moment> ends = new HashMap<>();
    private final Map<UUID, Integer> ranks = new HashMap<>();
    private final List<Arrival> firsts = new ArrayList<>();
    private final Order order;
    private final int arrivals;

    /** Committed is what a writer was told is, and what PostgreSQL says is; the first without the second is lost. */
    Judge(Collection<NumberedEvent> stored, WriterLedger ledger, List<Arrival> arrivals, Order order) {
        this.order = order;
        stored.forEach(event -> committed.put(event.id(), event));
        ledger.committed().forEach((id, written) -> committed.put(id, written.event()));
        Stream.of(ledger.committed(), ledger.unknown())
                .forEach(kind -> kind.forEach((id, written) -> ends.put(id, written.at())));
        this.arrivals = arrivals.size();
        for (Arrival arrival : arrivals) {
            if (ranks.putIfAbsent(arrival.event().id(), firsts.size()) == null) {
                firsts.add(arrival);
            }
        }
    }

    int committed() {
        return committed.size();
    }

    /** Committed events that never arrived. */
    List<NumberedEvent> lost() {
        return committed.values().stream()
                .filter(event -> !ranks.containsKey(event.id()))
                .toList();
    }

    /** Events that arrived although no transaction committed them. */
    List<NumberedEvent> resurrected() {
        return firsts.stream()
                .map(Arrival::event)
                .filter(event -> !committed.containsKey(event.id()))
                .toList();
    }

    /** Events that arrived before one with a lower number in their key did. */
    List<NumberedEvent> inversions() {
        Map<String, List<NumberedEvent>> byKey = committed.values().stream()
                .filter(event ->
                        ranks.containsKey(event.id()) && !order.replayed().contains(event.id()))
                .collect(Collectors.groupingBy(order.within()));
        return byKey.values().stream().flatMap(Judge.this::inversions).toList();
    }

    private Stream<NumberedEvent> inversions(List<NumberedEvent> ofKey) {
        List<NumberedEvent> inversions = new ArrayList<>();
        int latest = -1;
        for (NumberedEvent event : ofKey.stream()
                .sorted(Comparator.comparingLong(NumberedEvent::sequence))
                .toList()) {
            int rank = Objects.requireNonNull(ranks.get(event.id()));
            if (rank < latest) {
                inversions.add(event);
            }
            latest = Math.max(latest, rank);
        }
        return inversions.stream();
    }

    /** Arrivals beyond the first of each event. */
    int duplicates() {
        return arrivals - firsts.size();
    }

    Duration longestLag() {
        return firsts.stream().map(this::lag).max(Comparator.naturalOrder()).orElse(Duration.ZERO);
    }

    /** From then until the last late event had come. */
    Duration recovery(Moment since) {
        return firsts.stream()
                .filter(arrival -> lag(arrival).compareTo(LATE) >= 0)
                .map(arrival -> arrival.at().since(since))
                .filter(late -> !late.isNegative())
                .max(Comparator.naturalOrder())
                .orElse(Duration.ZERO);
    }

    private Duration lag(Arrival arrival) {
        Moment end = ends.get(arrival.event().id());
        return end == null || order.replayed().contains(arrival.event().id())
                ? Duration.ZERO
                : arrival.at().since(end);
    }
}
