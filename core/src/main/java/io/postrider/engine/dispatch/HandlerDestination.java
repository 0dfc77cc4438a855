package io.postrider.engine.dispatch;

import io.postrider.BatchHandler;
import io.postrider.EventContext;
import io.postrider.Handler;
import io.postrider.StoredEvent;
import io.postrider.destination.Destination;
import io.postrider.destination.Outcome;
import io.postrider.engine.base.CurrentEvent;
import io.postrider.policy.RetryPolicy;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/** Handlers in this process: whatever they throw is a retry or, when no retry can heal it, the event's end. */
public final class HandlerDestination<P> implements Destination {
    private static final CompletionStage<List<Outcome>> DELIVERED =
            CompletableFuture.completedStage(List.of(Outcome.DELIVERED));

    private final Profile profile;
    private final BatchHandler<P> handler;
    private final Function<StoredEvent, P> decode;
    private final Function<String, RetryPolicy> policies;

    private HandlerDestination(
            int batch,
            BatchHandler<P> handler,
            Function<StoredEvent, P> decode,
            Function<String, RetryPolicy> policies) {
        this.profile = Profile.handlers(batch);
        this.handler = handler;
        this.decode = decode;
        this.policies = policies;
    }

    public static <P> HandlerDestination<P> single(
            Handler<P> handler, Function<StoredEvent, P> decode, Function<String, RetryPolicy> policies) {
        BatchHandler<P> one = events -> {
            BatchHandler.Received<P> event = events.get(0);
            handler.handle(event.payload(), event.context());
        };
        return new HandlerDestination<>(1, one, decode, policies);
    }

    public static <P> HandlerDestination<P> batch(
            int batch,
            BatchHandler<P> handler,
            Function<StoredEvent, P> decode,
            Function<String, RetryPolicy> policies) {
        return new HandlerDestination<>(batch, handler, decode, policies);
    }

    @Override
    public Profile profile() {
        return profile;
    }

    @Override
    public CompletionStage<Void> probe() {
        return CompletableFuture.completedStage(null);
    }

    @Override
    public CompletionStage<List<Outcome>> dispatch(List<Dispatch> dispatches) {
        List<Outcome> outcomes = new ArrayList<>(Collections.nCopies(dispatches.size(), Outcome.DELIVERED));
        List<BatchHandler.Received<P>> received = new ArrayList<>(dispatches.size());
        for (int i = 0; i < dispatches.size(); i++) {
            Dispatch dispatch = dispatches.get(i);
            try {
                received.add(new BatchHandler.Received<>(decode.apply(dispatch.event()), context(dispatch)));
            } catch (Throwable e) {
                outcomes.set(
                        i,
                        failed(e, true, dispatch.event().type())); // unreadable: a node of another version may read it
            }
        }
        if (received.isEmpty()) {
            return CompletableFuture.completedStage(outcomes);
        }
        Throwable failure = call(received);
        if (failure == null) {
            return outcomes.size() == 1 ? DELIVERED : CompletableFuture.completedStage(outcomes);
        }
        boolean alone = received.size() == 1;
        outcomes.replaceAll(outcome -> outcome == Outcome.DELIVERED
                ? failed(failure, alone, received.get(0).context().type())
                : outcome);
        return CompletableFuture.completedStage(outcomes);
    }

    private @org.jspecify.annotations.Nullable Throwable call(List<BatchHandler.Received<P>> received) {
        if (received.size() == 1) {
            CurrentEvent.set(received.get(0).context()); // of several, only the handler knows which one is the cause
        }
        try {
            handler.handle(received);
            return null;
        } catch (Throwable e) {
            return e; // an Error is the event's failure, too: whoever stopped for it would stop for all events
        } finally {
            CurrentEvent.clear();
            Thread.interrupted(); // what the handler left on its thread is not for the next event
        }
    }

    /** Of several, nobody knows which one the failure is about: only an event alone can be dead of it. */
    private Outcome failed(Throwable failure, boolean alone, String type) {
        if (failure instanceof Transactions.Unanswered) {
            return Outcome.down(String.valueOf(failure.getMessage()));
        }
        if (failure instanceof Transactions.NotNow) {
            return Outcome.postponed(null, String.valueOf(failure.getMessage()));
        }
        return alone && policies.apply(type).isFatal(failure) ? Outcome.dead(failure) : Outcome.retry(failure);
    }

    private static EventContext context(Dispatch dispatch) {
        return new EventContext(dispatch.event(), dispatch.subscription(), dispatch.attempt());
    }
}
