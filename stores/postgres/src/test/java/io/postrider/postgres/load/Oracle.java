package io.postrider.postgres.load;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;

/** Compares what was committed with what arrived, by the first arrival of each event. */
final class Oracle {
    private final Collection<NumberedEvent> committed;
    private final Map<UUID, Instant> firstArrivals = new HashMap<>();
    private final int arrivals;

    Oracle(Collection<NumberedEvent> committed, Collection<Arrival> arrivals) {
        this.committed = committed;
        this.arrivals = arrivals.size();
        arrivals.forEach(arrival -> firstArrivals.merge(arrival.event().id(), arrival.at(), Oracle::earlier));
    }

    private static Instant earlier(Instant one, Instant other) {
        return one.isBefore(other) ? one : other;
    }

    /** Committed events that never arrived. */
    List<NumberedEvent> lost() {
        return committed.stream()
                .filter(event -> !firstArrivals.containsKey(event.id()))
                .toList();
    }

    /** Events that arrived although their writer had undone them. */
    List<UUID> resurrected(Set<UUID> undone) {
        return undone.stream().filter(firstArrivals::containsKey).toList();
    }

    /** Events that arrived before one with a lower number in their key did. */
    List<NumberedEvent> inversions() {
        Map<String, List<NumberedEvent>> byKey = committed.stream()
                .filter(event -> firstArrivals.containsKey(event.id()))
                .collect(Collectors.groupingBy(NumberedEvent::key));
        List<NumberedEvent> inversions = new ArrayList<>();
        byKey.values().forEach(events -> addInversions(events, inversions));
        return inversions;
    }

    private void addInversions(List<NumberedEvent> events, List<NumberedEvent> inversions) {
        Instant latest = Instant.MIN;
        for (NumberedEvent event : events.stream()
                .sorted(Comparator.comparingLong(NumberedEvent::sequence))
                .toList()) {
            Instant arrival = firstArrival(event);
            if (arrival.isBefore(latest)) {
                inversions.add(event);
            } else {
                latest = arrival;
            }
        }
    }

    /** Arrivals beyond the first of each event. */
    int duplicates() {
        return arrivals - firstArrivals.size();
    }

    Instant firstArrival(NumberedEvent event) {
        return Objects.requireNonNull(firstArrivals.get(event.id()), () -> event + " never arrived");
    }
}
