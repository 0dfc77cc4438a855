package io.postrider.engine.receive;

import io.postrider.Environment;
import io.postrider.Event;
import io.postrider.EventContext;
import io.postrider.EventId;
import io.postrider.Lane;
import io.postrider.Payload;
import io.postrider.Position;
import io.postrider.StoredEvent;
import io.postrider.destination.Destination;
import io.postrider.destination.Outcome;
import io.postrider.engine.base.CurrentEvent;
import io.postrider.engine.base.Observers;
import io.postrider.engine.dispatch.Transactions;
import io.postrider.observe.Observation;
import io.postrider.observe.Observer;
import io.postrider.policy.RetryPolicy;
import io.postrider.store.StoreException;
import io.postrider.wire.Incoming;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * What is done with a message that goes to its handler directly: effect and record that it was processed, in one
 * transaction. Thread-safe.
 *
 * @param name of the consumer, under which its records are kept
 * @param <T> the store's transaction handle
 */
public record Consumption<T>(
        String name,
        Map<Pattern, Work<T>> handlers,
        RetryPolicy retry,
        Transactions<T> transactions,
        Environment environment) {

    /** A handler with the payload still to be read. */
    @FunctionalInterface
    public interface Work<T> {
        void handle(T transaction, EventContext context) throws Exception;
    }

    /** What came of it, and whether that was known from before. */
    record Handled(Outcome outcome, boolean repeated) {
        static final Handled SKIPPED = new Handled(Outcome.SKIPPED, false);
    }

    public Consumption {
        handlers = Collections.unmodifiableMap(new LinkedHashMap<>(handlers));
    }

    /** A message as a log would have it, which it is in none of. */
    static StoredEvent event(String source, Incoming message, Instant now) {
        Event event = message.from(source);
        EventId id = Objects.requireNonNull(event.id());
        String payload = event.payload() instanceof Payload.Json json ? json.text() : "null";
        return new StoredEvent(
                Position.ZERO,
                Lane.of(event.key(), id, Lane.COUNT_DEFAULT),
                id,
                event.type(),
                event.key(),
                payload,
                event.headers(),
                event.tenant(),
                now,
                event.schedule());
    }

    Optional<Work<T>> handler(String type) {
        return handlers.entrySet().stream()
                .filter(entry -> entry.getKey().matcher(type).matches())
                .map(Map.Entry::getValue)
                .findFirst();
    }

    /**
     * Handles it, unless that was committed before.
     *
     * @throws StoreException if nobody knows whether it was
     */
    Handled handle(Work<T> handler, StoredEvent event, int attempt) {
        Observers observers = transactions.observers();
        long started = environment.nanos();
        Observer.Dispatching told = observers.dispatching(List.of(new Destination.Dispatch(name, event, attempt)));
        Handled answer = new Handled(Outcome.retry("the store did not answer"), false);
        try {
            answer = attempt(handler, new EventContext(event, name, attempt));
            return answer;
        } finally {
            told.left();
            told.answered(List.of(answer.outcome()));
            Duration took = Duration.ofNanos(environment.nanos() - started);
            observers.observe(new Observation.Dispatched(name, event, attempt, answer.outcome(), took));
        }
    }

    private Handled attempt(Work<T> handler, EventContext context) {
        CurrentEvent.set(context);
        try {
            boolean first = transactions.once(context, transaction -> handler.handle(transaction, context));
            return new Handled(Outcome.DELIVERED, !first);
        } catch (Transactions.Unanswered e) {
            throw e.failure();
        } catch (Transactions.NotNow e) {
            throw new StoreException(String.valueOf(e.getMessage()), e);
        } catch (Throwable e) {
            boolean over = retry.isFatal(e) || context.attempt() >= retry.attempts();
            return new Handled(over ? Outcome.dead(e) : Outcome.retry(e), false);
        } finally {
            CurrentEvent.clear();
        }
    }
}
