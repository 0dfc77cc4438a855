package io.postrider.engine.dispatch;

import io.postrider.Transact;
import io.postrider.store.Join;
import io.postrider.store.StoreException;
import org.jspecify.annotations.Nullable;

/**
 * Transactions that a framework begins and ends, held to the contract of {@link Transact}: what its manager gives and
 * throws is checked and sorted here, so that everything behind it may rely on it. Thread-safe.
 */
public final class ForeignTransact<T> implements Transact<T> {
    /** Causes may form a ring. */
    private static final int CAUSES_MAX = 50;

    private final Transact<T> foreign;
    private final Join<T> join;

    public ForeignTransact(Transact<T> foreign, Join<T> join) {
        this.foreign = foreign;
        this.join = join;
    }

    @Override
    public <R> R transact(Work<T, R> work) throws Exception {
        Attempt<R> attempt = new Attempt<>(work);
        R result;
        try {
            result = foreign.transact(attempt::run);
        } catch (Error failure) {
            throw failure;
        } catch (Exception failure) {
            throw attempt.failed(failure);
        }
        attempt.requireDone();
        return result;
    }

    private enum Stage {
        NOT_BEGUN,
        BEGUN,
        WORK_FAILED,
        WORK_DONE
    }

    /** How far one transaction has come. */
    private final class Attempt<R> {
        private final Work<T, R> work;
        private final Thread caller = Thread.currentThread();
        private volatile Stage stage = Stage.NOT_BEGUN;
        private volatile @Nullable Throwable thrown;
        private volatile boolean broken;

        Attempt(Work<T, R> work) {
            this.work = work;
        }

        R run(T transaction) throws Exception {
            stage = Stage.BEGUN;
            thrown = null;
            broken = false;
            try {
                requireCaller();
                R result = joined(transaction);
                stage = Stage.WORK_DONE;
                return result;
            } catch (Throwable failure) {
                thrown = failure;
                stage = Stage.WORK_FAILED;
                throw failure;
            }
        }

        /** Locks, interrupts, and the event that is handled belong to the thread. */
        private void requireCaller() {
            if (Thread.currentThread() != caller) {
                throw new IllegalStateException("the Transact runs the work on '"
                        + Thread.currentThread().getName() + "', another thread than the caller's, '" + caller.getName()
                        + "'");
            }
        }

        private R joined(T transaction) throws Exception {
            try (Join.Joined<T> joined = join.join(transaction)) {
                try {
                    R result = work.run(joined.handle());
                    joined.requireOpen();
                    return result;
                } catch (Throwable failure) {
                    broken = joined.isBroken();
                    throw failure;
                }
            }
        }

        /** What the caller is to be told instead. */
        Exception failed(Exception failure) {
            return switch (stage) {
                case NOT_BEGUN -> unanswered("the Transact gives no transaction", failure);
                case BEGUN, WORK_FAILED -> undone(failure);
                case WORK_DONE ->
                    join.isUnanswered(failure) ? unanswered("what became of a commit is unknown", failure) : failure;
            };
        }

        private Exception undone(Exception failure) {
            Throwable own = thrown;
            if (broken) {
                return unanswered("the connection broke in a transaction", failure);
            } else if (own != null && isCausedBy(failure, own)) {
                return asThrown(own);
            }
            StoreException unknown = unanswered("the Transact does not throw what the work threw", failure);
            if (own != null) {
                unknown.addSuppressed(own);
            }
            return unknown;
        }

        private static Exception asThrown(Throwable failure) {
            if (failure instanceof Error error) {
                throw error;
            }
            return (Exception) failure;
        }

        private StoreException unanswered(String what, Exception failure) {
            return failure instanceof StoreException known && !broken
                    ? known
                    : new StoreException(what + ": " + failure, failure);
        }

        void requireDone() {
            if (stage == Stage.NOT_BEGUN) {
                throw new IllegalStateException("the Transact has returned without having run the work");
            } else if (stage != Stage.WORK_DONE) {
                throw new IllegalStateException(
                        "the Transact has returned though the work threw, which is a rollback: " + thrown, thrown);
            }
        }
    }

    private static boolean isCausedBy(Throwable failure, Throwable cause) {
        Throwable one = failure;
        for (int depth = 0; one != null && depth < CAUSES_MAX; depth++) {
            if (one == cause) {
                return true;
            }
            one = one.getCause();
        }
        return false;
    }
}
