package io.postrider.kafka;

import io.postrider.Event;
import io.postrider.EventId;
import io.postrider.Lane;
import io.postrider.Payload;
import io.postrider.Position;
import io.postrider.StoredEvent;
import io.postrider.destination.Destination;
import io.postrider.destination.Outcome;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** Events as a log would have them, and their way to a destination. */
final class Stored {
    private static final AtomicLong POSITIONS = new AtomicLong();

    private Stored() {}

    static StoredEvent event(String type, @Nullable String key, String json) {
        Event event = Event.of(type, Payload.json(json));
        return of(key == null ? event : event.key(key), json);
    }

    private static StoredEvent of(Event event, String json) {
        EventId id = new EventId(UUID.randomUUID());
        return new StoredEvent(
                new Position(POSITIONS.incrementAndGet()),
                Lane.of(event.key(), id, Lane.COUNT_DEFAULT),
                id,
                event.type(),
                event.key(),
                json,
                event.headers(),
                event.tenant(),
                Instant.now().truncatedTo(ChronoUnit.MILLIS));
    }

    static List<Outcome> dispatch(Destination destination, StoredEvent... events) {
        return destination
                .dispatch(Arrays.stream(events)
                        .map(event -> new Destination.Dispatch("letters", event, 1))
                        .toList())
                .toCompletableFuture()
                .join();
    }

    /** Dispatches it as the engine does: until it is not down. */
    static Outcome dispatchUntilUp(Destination destination, StoredEvent event) {
        Outcome outcome = dispatch(destination, event).get(0);
        while (outcome.isDown()) {
            destination.probe().toCompletableFuture().handle((up, down) -> null).join();
            outcome = dispatch(destination, event).get(0);
        }
        return outcome;
    }
}
