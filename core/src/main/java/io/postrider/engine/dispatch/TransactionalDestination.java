package io.postrider.engine.dispatch;

import io.postrider.EventContext;
import io.postrider.EventId;
import io.postrider.StoredEvent;
import io.postrider.TransactionalHandler;
import io.postrider.destination.Destination;
import io.postrider.destination.Outcome;
import io.postrider.policy.RetryPolicy;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * Handlers in this process whose effects are in the store's database. By itself each dispatch is a transaction, in
 * which the record that the event was processed commits with the effect; {@link #within} leaves the transaction, and so
 * the commit, to the caller. While the store gives no transaction, or loses those it gave, it is down like any other
 * destination: its events wait, and no attempt counts.
 */
public final class TransactionalDestination<T, P> implements WithinTransaction<T> {
    /** Its own kind, because it is down while the store gives no transactions. */
    private static final Profile PROFILE = new Profile("transactions", 1, Integer.MAX_VALUE, Duration.ZERO);

    private final Transactions<T> transactions;
    private final TransactionalHandler<T, P> handler;
    private final Function<StoredEvent, P> decode;
    private final Function<String, RetryPolicy> policies;
    private final Destination recorded;
    /** Events whose handler was called, until what came of their dispatch is known. */
    private final Set<EventId> begun = ConcurrentHashMap.newKeySet();

    public TransactionalDestination(
            Transactions<T> transactions,
            TransactionalHandler<T, P> handler,
            Function<StoredEvent, P> decode,
            Function<String, RetryPolicy> policies) {
        this.transactions = transactions;
        this.handler = handler;
        this.decode = decode;
        this.policies = policies;
        this.recorded = HandlerDestination.single(this::handleOnce, decode, policies);
    }

    @Override
    public Profile profile() {
        return PROFILE;
    }

    @Override
    public CompletionStage<Void> probe() {
        return transactions.probe();
    }

    @Override
    public CompletionStage<List<Outcome>> dispatch(List<Dispatch> dispatches) {
        return recorded.dispatch(dispatches);
    }

    private void handleOnce(P payload, EventContext context) throws Exception {
        try {
            transactions.onceInSubscription(context, transaction -> {
                begun.add(context.id());
                handler.handle(transaction, payload, context);
            });
        } finally {
            begun.remove(context.id());
        }
    }

    /**
     * The outcome of a dispatch that had no answer in time. Where the handler was not called yet, as a transaction or
     * an earlier record was waited for, the event has had no attempt.
     */
    public static Outcome late(Destination destination, EventId event, String why) {
        return destination instanceof TransactionalDestination<?, ?> transactional
                        && !transactional.begun.contains(event)
                ? Outcome.postponed(null, why + "; its handler was not called")
                : Outcome.retry(why);
    }

    @Override
    public Destination within(T transaction) {
        return HandlerDestination.single(
                (payload, context) -> handler.handle(transaction, payload, context), decode, policies);
    }
}
