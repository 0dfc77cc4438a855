package io.postrider.engine.dispatch;

import io.postrider.EventContext;
import io.postrider.StoredEvent;
import io.postrider.Transact;
import io.postrider.engine.base.Abilities;
import io.postrider.engine.base.Observers;
import io.postrider.observe.Observation;
import io.postrider.store.ConflictException;
import io.postrider.store.Processed;
import io.postrider.store.SettleWithin;
import io.postrider.store.Store;
import io.postrider.store.StoreException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Transactions of a node's store, for handlers whose effects are in the same database. Thread-safe.
 *
 * @param abilities what the store can do with transactions
 * @param transact opens one, and wakes lanes for what was appended in it once it has committed
 * @param foreign whether a framework commits them, so that no settlement can commit together with the effects
 * @param threads those on which a transaction may be waited for
 * @param breaks under which events transactions broke
 * @param <T> the store's transaction handle
 */
public record Transactions<T>(
        Abilities abilities,
        Transact<T> transact,
        boolean foreign,
        Processed<T> processed,
        SettleWithin<T> settleWithin,
        Observers observers,
        Executor threads,
        Breaks breaks) {

    public Transactions(
            Store<T> store,
            Abilities abilities,
            Transact<T> transact,
            boolean foreign,
            Observers observers,
            Executor threads) {
        this(abilities, transact, foreign, store.processed(), store.settleWithin(), observers, threads, new Breaks());
    }

    /** What a handler does in a transaction. */
    public interface Handling<T> {
        void handle(T transaction) throws Exception;
    }

    /** How an event is recorded in its transaction. */
    private interface Recording<T> {
        Processed.Recorded record(T transaction);
    }

    /**
     * Handles an event in a transaction of its own, with the record that it was, unless that was committed before.
     *
     * @return whether it was handled now
     * @throws Unanswered if the store failed, and not the event: it gave no transaction, or lost the one it gave
     * @throws Exception what the event failed with
     */
    public boolean once(EventContext context, Handling<T> handler) throws Exception {
        return once(
                context,
                transaction -> processed.first(transaction, context.id(), context.subscription())
                        ? Processed.Recorded.FIRST
                        : Processed.Recorded.REPEATED,
                handler);
    }

    /**
     * The same for an event of a subscription.
     *
     * @throws NotNow if the subscription settles with its effects by now, and other nodes handle the event; or if
     *     another transaction that is still open has recorded it, as that of a node which is frozen inside the handler
     */
    boolean onceInSubscription(EventContext context, Handling<T> handler) throws Exception {
        return once(
                context, transaction -> processed.record(transaction, context.id(), context.subscription()), handler);
    }

    private boolean once(EventContext context, Recording<T> recording, Handling<T> handler) throws Exception {
        Run run = new Run();
        try {
            boolean first = transact.transact(transaction -> {
                run.began = true;
                switch (recording.record(transaction)) {
                    case FIRST -> run.handle(transaction, handler);
                    case REPEATED -> {
                        return false;
                    }
                    case OTHER_FORM ->
                        throw new NotNow("'" + context.subscription() + "' settles with its effects by now");
                }
                return true;
            });
            breaks.over(context);
            if (!first) {
                tellRepeated(context.subscription(), context.event());
            }
            return first;
        } catch (ConflictException e) {
            if (e == run.failure) {
                throw e;
            }
            throw new NotNow(String.valueOf(e.getMessage()));
        } catch (StoreException e) {
            if (e != run.failure && !(run.began && breaks.blames(context))) {
                throw new Unanswered(e);
            }
            throw e;
        } catch (Exception e) {
            if (!run.began) {
                throw new Unanswered(new StoreException("there is no transaction to work in: " + e.getMessage(), e));
            }
            breaks.over(context);
            throw e;
        } catch (Error e) {
            breaks.over(context);
            throw e;
        }
    }

    /** Records an event in this transaction; false if that was committed before, and then it is not handled again. */
    boolean isFirst(T transaction, String subscription, StoredEvent event) {
        return processed.first(transaction, event.id(), subscription);
    }

    /** An event was not handled again, as its effect had been committed before. */
    void tellRepeated(String subscription, StoredEvent event) {
        observers.observe(new Observation.Repeated(subscription, event));
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
                transact.transact(this::tryOut);
                answer.complete(null);
            } catch (Throwable e) {
                answer.completeExceptionally(e);
            }
        });
        return answer;
    }

    /** A store without savepoints shows by its commit alone whether it answers. */
    private boolean tryOut(T transaction) throws Exception {
        if (!abilities.has(Store.Limitation.NO_SAVEPOINTS)) {
            settleWithin.mark(transaction);
        }
        return true;
    }

    /** Nothing was handled, for no fault of the event's: its turn comes again. */
    public static final class NotNow extends Exception {
        private static final long serialVersionUID = 1L;

        NotNow(String why) {
            super(why, null, false, false);
        }
    }

    /** The store failed under a handler, which is no fault of the event's. */
    public static final class Unanswered extends Exception {
        private static final long serialVersionUID = 1L;

        private final transient StoreException failure;

        Unanswered(StoreException failure) {
            super(failure.getMessage(), failure, false, false);
            this.failure = failure;
        }

        public StoreException failure() {
            return failure;
        }
    }
}
