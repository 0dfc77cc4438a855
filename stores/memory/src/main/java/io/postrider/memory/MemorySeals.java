package io.postrider.memory;

import io.postrider.Position;
import io.postrider.StoredEvent;
import io.postrider.store.Ownership;
import io.postrider.store.Seal;
import io.postrider.store.Seals;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** Seals: with each settlement, and what became of those that were broken. */
final class MemorySeals implements Seals {
    private final MemoryState state;

    MemorySeals(MemoryState state) {
        this.state = state;
    }

    /** The seals of one settlement, and when it was written. */
    record Sealed(Instant at, List<Seal> seals) {}

    @Override
    public List<Sealing> sealings(Ownership ownership, long before, Duration age, int limit) {
        synchronized (state) {
            LaneRow lane = state.held(ownership);
            if (lane == null) {
                return List.of();
            }
            Instant oldest = state.now().minus(age);
            return lane.seals.headMap(before, false).descendingMap().entrySet().stream()
                    .filter(entry -> !entry.getValue().at().isBefore(oldest))
                    .limit(limit)
                    .map(entry -> new Sealing(entry.getKey(), entry.getValue().seals()))
                    .toList();
        }
    }

    @Override
    public boolean lose(Ownership ownership, List<Sealing> broken) {
        synchronized (state) {
            LaneRow lane = state.held(ownership);
            if (lane == null) {
                return false;
            }
            broken.stream()
                    .sorted((one, other) -> Long.compare(one.settlement(), other.settlement()))
                    .forEach(sealing -> lose(lane, sealing));
            return true;
        }
    }

    private static void lose(LaneRow lane, Sealing broken) {
        lane.seals.computeIfPresent(broken.settlement(), (number, whole) -> {
            List<Seal> left = whole.seals().stream()
                    .filter(seal -> broken.seals().stream().noneMatch(seal::isBeside))
                    .toList();
            return left.isEmpty() ? null : new Sealed(whole.at(), left);
        });
        broken.seals().stream()
                .filter(seal -> !seal.positions().isEmpty())
                .forEach(seal -> lane.lost.add(new Lost(++lane.lostNumber, seal)));
    }

    @Override
    public List<Lost> lost(Ownership ownership, int limit) {
        synchronized (state) {
            LaneRow lane = state.held(ownership);
            return lane == null ? List.of() : lane.lost.stream().limit(limit).toList();
        }
    }

    @Override
    public List<StoredEvent> events(Ownership ownership, List<Position> positions) {
        synchronized (state) {
            List<StoredEvent> events = new ArrayList<>();
            for (Position position : positions) {
                LogRow row = state.log.row(position.value());
                if (row != null) {
                    events.add(row.event());
                }
            }
            return events;
        }
    }
}
