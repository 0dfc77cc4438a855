package io.postrider.redis;

import io.postrider.EventId;
import io.postrider.Headers;
import io.postrider.Lane;
import io.postrider.Position;
import io.postrider.StoredEvent;
import io.postrider.destination.Destination;
import io.postrider.destination.Outcome;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Events as the log would have them, and their way to a destination. */
final class Letters {
    static final String TYPE = "letter.sent";

    private Letters() {}

    static StoredEvent letter(String type, @Nullable String key, String payload, Headers headers) {
        EventId id = new EventId(UUID.randomUUID());
        return new StoredEvent(
                new Position(1),
                Lane.of(key, id, Lane.COUNT_DEFAULT),
                id,
                type,
                key,
                payload,
                headers,
                null,
                Instant.EPOCH);
    }

    static StoredEvent letter(String key, String text) {
        return letter(TYPE, key, '"' + text + '"', Headers.NONE);
    }

    static List<Outcome> dispatch(Destination destination, StoredEvent... events) throws Exception {
        List<Destination.Dispatch> dispatches = Arrays.stream(events)
                .map(event -> new Destination.Dispatch("letters", event, 1))
                .toList();
        return destination.dispatch(dispatches).toCompletableFuture().get(20, TimeUnit.SECONDS);
    }

    static void probe(Destination destination) throws Exception {
        destination.probe().toCompletableFuture().get(20, TimeUnit.SECONDS);
    }
}
