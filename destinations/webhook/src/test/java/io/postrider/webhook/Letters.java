package io.postrider.webhook;

import io.postrider.Event;
import io.postrider.EventId;
import io.postrider.Headers;
import io.postrider.Lane;
import io.postrider.Position;
import io.postrider.StoredEvent;
import io.postrider.destination.Destination;
import io.postrider.destination.Outcome;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Events for tests, and the way to a destination. */
final class Letters {
    static final Secret SECRET = Secret.of("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
    static final Secret OTHER_SECRET = Secret.of("whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYX");

    private Letters() {}

    static StoredEvent letter() {
        return letter(Event.of("letter.sent", "x").key("ann"));
    }

    static StoredEvent of(@Nullable String tenant, String type) {
        Event event = Event.of(type, "x");
        return letter(tenant == null ? event : event.tenant(tenant));
    }

    /** As the log would have it, with a small payload. */
    static StoredEvent letter(Event event) {
        EventId id = event.id() != null ? event.id() : new EventId(UUID.randomUUID());
        return new StoredEvent(
                new Position(1),
                Lane.of(event.key(), id, Lane.COUNT_DEFAULT),
                id,
                event.type(),
                event.key(),
                "{\"pages\":1.50}",
                event.headers(),
                event.tenant(),
                Instant.parse("2026-11-15T12:00:00Z"));
    }

    static StoredEvent with(Headers headers) {
        return letter(Event.of("letter.sent", "x").key("ann").headers(headers));
    }

    static CompletableFuture<Outcome> begin(Destination destination, StoredEvent event) {
        return call(destination, event).thenApply(outcomes -> outcomes.get(0));
    }

    /** As the engine has it, which cancels it when it gives the call up. */
    static CompletableFuture<List<Outcome>> call(Destination destination, StoredEvent... events) {
        return destination
                .dispatch(Stream.of(events)
                        .map(event -> new Destination.Dispatch("letters", event, 1))
                        .toList())
                .toCompletableFuture();
    }

    static Outcome dispatch(Destination destination, StoredEvent event) {
        return await(begin(destination, event));
    }

    static <R> R await(CompletableFuture<R> future) {
        try {
            return future.get(20, TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }
}
