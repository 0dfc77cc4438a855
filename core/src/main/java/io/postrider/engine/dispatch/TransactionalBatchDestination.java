package io.postrider.engine.dispatch;

import io.postrider.BatchHandler;
import io.postrider.StoredEvent;
import io.postrider.TransactionalBatchHandler;
import io.postrider.destination.Destination;
import io.postrider.destination.Outcome;
import io.postrider.policy.RetryPolicy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/**
 * Handlers in this process that act on several events at once, in the transaction of their settlement and in no other:
 * a record for each event would cost what the batch saves.
 */
public final class TransactionalBatchDestination<T, P> implements WithinTransaction<T> {
    /** As many events as a lane has claimed for one transaction. */
    private static final Profile PROFILE =
            new Profile("transactions", Integer.MAX_VALUE, Integer.MAX_VALUE, Duration.ZERO);

    private final Transactions<T> transactions;
    private final TransactionalBatchHandler<T, P> handler;
    private final Function<StoredEvent, P> decode;
    private final Function<String, RetryPolicy> policies;

    public TransactionalBatchDestination(
            Transactions<T> transactions,
            TransactionalBatchHandler<T, P> handler,
            Function<StoredEvent, P> decode,
            Function<String, RetryPolicy> policies) {
        this.transactions = transactions;
        this.handler = handler;
        this.decode = decode;
        this.policies = policies;
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
        throw new IllegalStateException("a batch is handled in the transaction of its settlement only");
    }

    @Override
    public Destination within(T transaction) {
        BatchHandler<P> inTransaction = events -> handler.handle(transaction, events);
        return new Together(HandlerDestination.batch(Integer.MAX_VALUE, inTransaction, decode, policies));
    }

    /** Of several events that were undone together nobody knows which one failed: that was no attempt of any. */
    private record Together(Destination handlers) implements Destination {
        @Override
        public Profile profile() {
            return handlers.profile();
        }

        @Override
        public CompletionStage<Void> probe() {
            return handlers.probe();
        }

        @Override
        public CompletionStage<List<Outcome>> dispatch(List<Dispatch> dispatches) {
            CompletionStage<List<Outcome>> answer = handlers.dispatch(dispatches);
            return dispatches.size() == 1 ? answer : answer.thenApply(Together::allOrNone);
        }

        private static List<Outcome> allOrNone(List<Outcome> outcomes) {
            return outcomes.stream()
                    .filter(outcome -> !outcome.isDelivered())
                    .findFirst()
                    .map(failed -> outcomes.stream().map(each -> undone(failed)).toList())
                    .orElse(outcomes);
        }

        private static Outcome undone(Outcome failed) {
            String why = "its batch failed and is undone, each event is handled alone: " + failed.why();
            return new Outcome.Retry(null, why, false, failed.thrown());
        }
    }
}
