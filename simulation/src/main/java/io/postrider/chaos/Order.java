package io.postrider.chaos;

import java.util.Set;
import java.util.UUID;
import java.util.function.Function;

/**
 * Which events have an order among each other.
 *
 * @param within those for which this is the same
 * @param replayed but for events that were skipped, as they had to be, and came by a replay: neither their turn nor
 *     their lag says anything
 */
record Order(Function<NumberedEvent, String> within, Set<UUID> replayed) {
    /** All events of a key. */
    static final Order OF_KEYS = new Order(NumberedEvent::key, Set.of());

    Order {
        replayed = Set.copyOf(replayed);
    }

    Order replayed(Set<UUID> events) {
        return new Order(within, events);
    }
}
