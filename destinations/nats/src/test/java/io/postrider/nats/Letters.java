package io.postrider.nats;

import io.postrider.Event;
import io.postrider.EventId;
import io.postrider.Headers;
import io.postrider.Lane;
import io.postrider.Position;
import io.postrider.StoredEvent;
import io.postrider.destination.Destination;
import io.postrider.destination.Guarded.Sealed;
import io.postrider.destination.Outcome;
import io.postrider.destination.Receipt;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/** Events to dispatch, and what came of them. */
final class Letters {
    private Letters() {}

    static StoredEvent letter(String type, String payload, Headers headers) {
        EventId id = new EventId(UUID.randomUUID());
        Event event = Event.of(type, payload).key(id.toString());
        return new StoredEvent(
                new Position(1),
                Lane.of(event.key(), id, Lane.COUNT_DEFAULT),
                id,
                type,
                event.key(),
                payload,
                headers,
                null,
                Instant.now());
    }

    static StoredEvent letter(String type) {
        return letter(type, "{}", Headers.NONE);
    }

    static List<StoredEvent> letters(String type, int count) {
        return IntStream.range(0, count).mapToObj(i -> letter(type)).toList();
    }

    static Outcome dispatch(Destination destination, StoredEvent event) {
        return dispatch(destination, List.of(event)).get(0);
    }

    static List<Outcome> dispatch(Destination destination, List<StoredEvent> events) {
        return answer(destination.dispatch(events.stream()
                .map(event -> new Destination.Dispatch("letters", event, 1))
                .toList()));
    }

    static String why(Outcome outcome) {
        if (outcome.isDead()) {
            return "dead: " + outcome.why();
        }
        return outcome.isDown() ? "down: " + outcome.why() : outcome.toString();
    }

    static List<Sealed> seals(List<StoredEvent> events, List<Outcome> outcomes) {
        List<Sealed> seals = new ArrayList<>();
        for (int i = 0; i < events.size(); i++) {
            Receipt receipt = ((Outcome.Delivered) outcomes.get(i)).receipt();
            seals.add(new Sealed(Objects.requireNonNull(receipt), events.get(i).id()));
        }
        return seals;
    }

    static <R> R answer(CompletionStage<R> stage) {
        return stage.toCompletableFuture().orTimeout(20, TimeUnit.SECONDS).join();
    }
}
