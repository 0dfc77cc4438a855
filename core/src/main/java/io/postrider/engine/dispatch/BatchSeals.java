package io.postrider.engine.dispatch;

import io.postrider.Position;
import io.postrider.destination.Guarded;
import io.postrider.destination.Receipt;
import io.postrider.store.Seal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The seals of one settlement: for each stream the furthest event that is known to be in it. Not thread-safe. */
final class BatchSeals {
    /**
     * Streams whose newest seal each settlement repeats; of one that had nothing for long, more may be lost unnoticed.
     */
    static final int STREAMS_MAX = 32;

    private final Map<Stream, Newest> newest = new LinkedHashMap<>(0);

    private record Stream(String destination, String name) {}

    private static final class Newest {
        private final List<Position> positions = new ArrayList<>();
        private Guarded.@Nullable Sealed last;

        void add(Receipt receipt, Item item) {
            positions.add(item.event.position());
            if (last == null || receipt.sequence() > last.receipt().sequence()) {
                last = new Guarded.Sealed(receipt, item.event.id());
            }
        }
    }

    /** Notes an event that a destination has acknowledged with a receipt. */
    void add(Item item) {
        Receipt receipt = item.outcome().receipt();
        if (receipt != null) {
            Stream stream = new Stream(item.destination().profile().name(), receipt.stream());
            newest.computeIfAbsent(stream, key -> new Newest()).add(receipt, item);
        }
    }

    /**
     * The seals of this settlement, and those before of streams that it has nothing for, the newest first. None goes
     * back: an event that a server had already is acknowledged with its old number, and a seal with that one would hold
     * although what came behind it is lost.
     */
    List<Seal> beside(List<Seal> before) {
        if (newest.isEmpty() && before.isEmpty()) {
            return List.of();
        }
        List<Seal> seals = new ArrayList<>();
        newest.forEach((stream, of) -> {
            if (of.last != null) {
                seals.add(new Seal(stream.destination(), of.last, of.positions).notBehind(before));
            }
        });
        before.stream()
                .filter(old -> seals.stream().noneMatch(old::isBeside))
                .limit(Math.max(0, STREAMS_MAX - seals.size()))
                .map(Seal::repeated)
                .forEach(seals::add);
        return seals;
    }
}
