package io.postrider.engine.lane;

import io.postrider.Position;
import io.postrider.StoredEvent;
import io.postrider.destination.Guarded;
import io.postrider.destination.Outcome;
import io.postrider.engine.dispatch.Item;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Events that were delivered although one before them was not, because their destination went down meanwhile. The lane
 * reads them again and does not dispatch them again, as long as it stays with this node: what comes twice is no more
 * than was in flight. At most a batch. Not thread-safe: the lane guards it.
 *
 * <p>Those of a destination with a guard are not among them. It may have lost what it acknowledged last, and what is
 * not settled is not sealed: they are dispatched again, and it knows them by their ids.
 */
final class DeliveredOutOfTurn {
    private final Map<Position, Outcome> delivered = new HashMap<>(0);

    /** A batch has landed: what has begun of it is settled now, and of the rest some was delivered. */
    void landed(List<Item> begun, List<Item> rest) {
        if (!delivered.isEmpty()) {
            begun.forEach(item -> delivered.remove(item.event.position()));
        }
        for (Item item : rest) {
            if (item.isDelivered() && !(item.destination() instanceof Guarded)) {
                delivered.put(item.event.position(), item.outcome());
            }
        }
    }

    /** What became of it, or null if it is still to be dispatched. */
    @Nullable
    Outcome of(StoredEvent event) {
        return delivered.isEmpty() ? null : delivered.get(event.position());
    }
}
