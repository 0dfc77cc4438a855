package io.postrider.engine;

import io.postrider.EventContext;
import io.postrider.Observation;
import io.postrider.StoredEvent;
import io.postrider.spi.Processed;
import io.postrider.spi.SettleWithin;
import io.postrider.spi.StoreException;
import io.postrider.spi.Transact;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Transactions of a node's store, for handlers whose effects are in the same database. Thread-safe.
 *
 * @param transact opens one, and wakes lanes for what was appended in it once it has committed
 * @param threads those on which a transaction may be waited for
 * @param breaks under which events transactions broke
 * @param <T> the store's transaction handle
 */
public record Transactions<T>(
        Transact<T> transact,
        Processed<T> processed,
        SettleWithin<T> settleWithin,
        Observers observers,
        Executor threads,
        Breaks breaks) {

    public Transactions(
            Transact<T> transact,
            Processed<T> processed,
            SettleWithin<T> settleWithin,
            Observers observers,
            Executor threads) {
        this(transact, processed, settleWithin, observers, threads, new Breaks());
    }

    /** What a handler does in a transaction. */
    interface Handling<T> {
        void handle(T transaction) throws Exception;
    }

    /**
     * Handles an event in a transaction of its own, with the record that it was, unless that was committed before.
     *
     * @return whether it was handled now
     * @throws Unanswered if the store failed, and not the event: it gave no transaction, or lost the one it gave
     * @throws Exception what the event failed with
     */
    boolean once(EventContext context, Handling<T> handler) throws Exception {
        Run run = new Run();
        try {
            boolean first = transact.transact(transaction -> {
                run.began = true;
                if (!processed.first(transaction, context.id(), context.subscription())) {
                    return false;
                }
                run.handle(transaction, handler);
                return true;
            });
            breaks.over(context);
            if (!first) {
                observers.observe(new Observation.Repeated(context.subscription(), context.event()));
            }
            return first;
        } catch (StoreException e) {
            if (e != run.failure && !(run.began && breaks.blames(context))) {
                throw new Unanswered(e);
            }
            throw e;
        } catch (Throwable e) {
            breaks.over(context);
            throw e;
        }
    }

    /** Records an event in this transaction; false if that was committed before, and then it is not handled again. */
    boolean isFirst(T transaction, String subscription, StoredEvent event) {
        boolean first = processed.first(transaction, event.id(), subscription);
        if (!first) {
            observers.observe(new Observation.Repeated(subscription, event));
        }
        return first;
    }

    /** How far a transaction has come. */
    private static final class Run {
        private boolean began;
        /** What the handler threw: a store that fails may be any store, and then the event has failed. */
        private @Nullable Throwable failure;

        <T> void handle(T transaction, Handling<T> handler) throws Exception {
            try {
                handler.handle(transaction);
            } catch (Throwable e) {
                failure = e;
                throw e;
            } finally {
                Thread.interrupted(); // what the handler left on its thread is not for the commit
            }
        }
    }

    /** Whether the store gives a transaction that works. */
    CompletionStage<Void> probe() {
        CompletableFuture<Void> answer = new CompletableFuture<>();
        threads.execute(() -> {
            try {
                transact.transact(transaction -> {
                    settleWithin.mark(transaction);
                    return true;
                });
                answer.complete(null);
            } catch (Throwable e) {
                answer.completeExceptionally(e);
            }
        });
        return answer;
    }

    /** The store failed under a handler, which is no fault of the event's. */
    static final class Unanswered extends Exception {
        private static final long serialVersionUID = 1L;

        private final transient StoreException failure;

        Unanswered(StoreException failure) {
            super(failure.getMessage(), failure, false, false);
            this.failure = failure;
        }

        StoreException failure() {
            return failure;
        }
    }
}
