package io.postrider.memory;

import io.postrider.operate.Delivery;
import io.postrider.store.Ownership;
import io.postrider.store.Park;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Park: parts of a lane's delivery rows, as its owner needs them. */
final class MemoryPark implements Park {
    private static final Comparator<Delivery> BY_DUE =
            Comparator.comparing(Delivery::dueAt).thenComparing(Delivery::position);

    private final MemoryState state;

    MemoryPark(MemoryState state) {
        this.state = state;
    }

    // ---- the window -------------------------------------------------------------------------------------------------

    @Override
    public Window window(Ownership ownership, View view) {
        synchronized (state) {
            LaneRow lane = lane(ownership);
            return lane == null ? Window.EMPTY : window(lane, view, state.held(ownership) != null);
        }
    }

    /** @param held whether rows of the lane may be changed */
    Window window(LaneRow lane, View view, boolean held) {
        List<Delivery> rows = rows(lane, view.wanted()).toList();
        Map<String, Delivery> first = view.wanted().ordered() ? first(rows) : Map.of();
        List<Delivery> earliest = rows.stream()
                .filter(row -> row.status() == Delivery.Status.WAITING && !row.behind())
                .sorted(BY_DUE)
                .limit(view.most() + 1L)
                .toList();
        List<Delivery> shown = new ArrayList<>(ofStatus(rows, Delivery.Status.RUNNING));
        List<Delivery> demoted = new ArrayList<>();
        Set<Delivery> promoted = new LinkedHashSet<>();
        for (Delivery row : earliest.subList(0, Math.min(earliest.size(), view.most()))) {
            Delivery before = row.key() == null ? row : first.getOrDefault(row.key(), row);
            (before.equals(row) ? shown : demoted).add(row);
            if (before.behind()) {
                promoted.add(before);
            }
        }
        promoted.forEach(row -> shown.add(row.behind(false)));
        List<Delivery> dead = ofStatus(rows, Delivery.Status.DEAD);
        shown.addAll(dead.subList(0, Math.min(dead.size(), view.most())));
        if (held) {
            demoted.forEach(row -> change(lane, row, true));
            promoted.forEach(row -> change(lane, row, false));
        }
        return new Window(
                shown,
                earliest.size() > view.most() ? earliest.get(view.most()).dueAt() : null,
                dead.size() > view.most(),
                rows(lane, view.wanted()).filter(MemoryPark::fails).count(),
                rows(lane, view.wanted()).filter(Delivery::behind).count(),
                held ? demoted.size() : 0);
    }

    private static boolean fails(Delivery row) {
        return row.status() == Delivery.Status.WAITING && !row.behind() && row.attempt() > 0;
    }

    private static List<Delivery> ofStatus(List<Delivery> rows, Delivery.Status status) {
        return rows.stream().filter(row -> row.status() == status).toList();
    }

    private static Map<String, Delivery> first(List<Delivery> rows) {
        Map<String, Delivery> first = new HashMap<>();
        for (Delivery row : rows) {
            if (row.key() != null) {
                first.putIfAbsent(row.key(), row);
            }
        }
        return first;
    }

    // ---- keys -------------------------------------------------------------------------------------------------------

    @Override
    public Set<String> blocked(Ownership ownership, Wanted wanted, Collection<String> keys) {
        synchronized (state) {
            LaneRow lane = lane(ownership);
            Set<String> asked = Set.copyOf(keys);
            Set<String> blocked = new HashSet<>();
            if (lane != null && wanted.ordered()) {
                rows(lane, wanted)
                        .filter(row -> row.key() != null && asked.contains(row.key()))
                        .forEach(row -> blocked.add(Objects.requireNonNull(row.key())));
            }
            return blocked;
        }
    }

    @Override
    public List<Delivery> follow(Ownership ownership, Wanted wanted, Collection<String> keys, int most) {
        synchronized (state) {
            LaneRow lane = lane(ownership);
            List<Delivery> first = new ArrayList<>();
            if (lane != null) {
                for (String key : keys) {
                    first.addAll(rows(lane, wanted)
                            .filter(row -> key.equals(row.key()))
                            .limit(most)
                            .toList());
                }
                if (state.held(ownership) != null) {
                    promote(lane, first);
                }
            }
            first.sort(Comparator.comparing(Delivery::position));
            return first;
        }
    }

    private void promote(LaneRow lane, List<Delivery> byKey) {
        Set<@Nullable String> seen = new HashSet<>();
        byKey.stream()
                .filter(row -> seen.add(row.key()) && row.behind())
                .toList()
                .forEach(row -> change(lane, row, false));
    }

    @Override
    public Promoted promote(Ownership ownership, Wanted wanted, String after, int most) {
        synchronized (state) {
            LaneRow lane = state.held(ownership);
            if (lane == null) {
                return new Promoted(null, 0);
            }
            List<Delivery> rows = rows(lane, wanted).toList();
            return wanted.ordered() ? promoteInKeys(lane, rows, after, most) : promoteAll(lane, rows);
        }
    }

    private Promoted promoteInKeys(LaneRow lane, List<Delivery> rows, String after, int most) {
        NavigableSet<String> keys = new TreeSet<>();
        rows.stream().filter(Delivery::behind).forEach(row -> keys.add(Objects.requireNonNull(row.key())));
        List<String> looked = keys.tailSet(after, false).stream().limit(most).toList();
        Map<String, Delivery> first = first(rows);
        List<Delivery> promoted = looked.stream()
                .map(key -> Objects.requireNonNull(first.get(key)))
                .filter(Delivery::behind)
                .toList();
        promoted.forEach(row -> change(lane, row, false));
        return new Promoted(looked.size() < most ? null : looked.get(most - 1), promoted.size());
    }

    private Promoted promoteAll(LaneRow lane, List<Delivery> rows) {
        List<Delivery> behind = rows.stream().filter(Delivery::behind).toList();
        behind.forEach(row -> change(lane, row, false));
        return new Promoted(null, behind.size());
    }

    // ---- both -------------------------------------------------------------------------------------------------------

    private @Nullable LaneRow lane(Ownership ownership) {
        SubscriptionRow row = state.subscriptions.get(ownership.subscription());
        return row == null ? null : row.lane(ownership.lane());
    }

    /** By position. */
    private static Stream<Delivery> rows(LaneRow lane, Wanted wanted) {
        return lane.deliveries.values().stream()
                .map(LaneRow.DeliveryRow::delivery)
                .filter(row ->
                        wanted.includes(row) && !lane.mark(row.position()).released());
    }

    /** Only the hint: when the row was changed stays as it is. */
    private static void change(LaneRow lane, Delivery row, boolean behind) {
        lane.deliveries.computeIfPresent(
                row.position().value(),
                (position, known) ->
                        new LaneRow.DeliveryRow(row.behind(behind), known.event(), known.lease(), known.changedAt()));
    }
}
