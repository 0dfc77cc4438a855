package io.postrider.store;

import io.postrider.Position;
import io.postrider.destination.Guarded;
import java.util.List;

/**
 * The furthest event in a stream of a destination when a batch had gone there, and all that it stands for: as long as
 * that one is where it was, so is everything before it.
 *
 * @param destination the name of the destination
 * @param positions what the batch had for that stream; none if the seal only repeats that of an earlier batch
 */
public record Seal(String destination, Guarded.Sealed last, List<Position> positions) {
    public Seal {
        positions = List.copyOf(positions);
    }

    public String stream() {
        return last.receipt().stream();
    }

    /** The same without what it stands for, to be repeated by a later settlement. */
    public Seal repeated() {
        return new Seal(destination, last, List.of());
    }

    /** The same with the last event of an earlier one of its stream, if that one is further. */
    public Seal notBehind(List<Seal> earlier) {
        return earlier.stream()
                .filter(this::isBeside)
                .filter(old -> old.last.receipt().sequence() > last.receipt().sequence())
                .findFirst()
                .map(further -> new Seal(destination, further.last, positions))
                .orElse(this);
    }

    /** Whether both are about one stream of one destination. */
    public boolean isBeside(Seal other) {
        return destination.equals(other.destination) && stream().equals(other.stream());
    }
}
