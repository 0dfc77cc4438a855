package io.postrider.engine.node;

import io.postrider.AppendMode;
import io.postrider.Transact;
import io.postrider.store.Append;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A transaction that a node has opened for its caller. Used by the thread of the work only. */
final class OwnTransaction<T> {
    private final Append<T> store;
    private final AppendMode mode;
    /** The one within whose work this one was opened; its events are not written by this one's commit. */
    private final @Nullable OwnTransaction<T> outer;
    /** Hashes of what was appended: a lane is known of them when the connection has been given back. */
    private final Set<Integer> hashes = new HashSet<>();
    /** In the order of their appends; the commit writes them. */
    private final List<Append.Entry> waiting = new ArrayList<>();

    private @Nullable T transaction;
    private @Nullable IllegalStateException ended;

    OwnTransaction(Append<T> store, AppendMode mode, @Nullable OwnTransaction<T> outer) {
        this.store = store;
        this.mode = mode;
        this.outer = outer;
    }

    <R> R run(T opened, Transact.Work<T, R> work) throws Exception {
        transaction = opened;
        R result = work.run(opened);
        if (ended != null) {
            throw ended;
        }
        if (!waiting.isEmpty()) {
            store.appendAndCommit(opened, waiting);
        }
        return result;
    }

    /** Appends by this transaction, by one around it, or by another of the work's own, which commits when it likes. */
    void append(T onto, List<Append.Entry> entries) {
        if (onto == transaction) {
            appendHere(onto, entries);
        } else if (outer != null) {
            outer.append(onto, entries);
        } else {
            store.append(onto, entries);
        }
    }

    private void appendHere(T opened, List<Append.Entry> entries) {
        if (mode == AppendMode.WITH_COMMIT && store.mayWait(opened, this::writeNow)) {
            entries.forEach(Append.Entry::requireNew);
            waiting.addAll(entries);
            return;
        }
        requireNoneWaits();
        store.append(opened, entries);
    }

    private void writeNow() {
        if (transaction != null && !waiting.isEmpty()) {
            store.append(transaction, waiting);
            waiting.clear();
        }
    }

    /** What waits while the transaction is no longer open would be written in another one, without its state. */
    private void requireNoneWaits() {
        if (!waiting.isEmpty()) {
            ended = new IllegalStateException("the transaction has failed, or the work has ended it by itself, while "
                    + waiting.size() + " events waited for its commit: they are not written");
            throw ended;
        }
    }

    /** Something with these hashes was written. */
    void announce(Set<Integer> woken) {
        hashes.addAll(woken);
    }

    /** Of what the commit has made known. */
    Set<Integer> hashes() {
        return hashes;
    }
}
