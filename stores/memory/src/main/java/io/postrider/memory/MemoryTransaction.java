package io.postrider.memory;

import io.postrider.store.RefusedException;
import io.postrider.store.StoreException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A transaction on a {@link MemoryStore}: what is appended in it exists once it commits, and only then. So does what is
 * done {@link #onCommit}.
 *
 * <p>Used by one thread at a time. Closing one that is still open rolls it back.
 */
public final class MemoryTransaction implements AutoCloseable {
    private final MemoryState state;
    private final List<LogRow> appended = new ArrayList<>();
    private final List<Runnable> effects = new ArrayList<>();
    private final List<Runnable> checks = new ArrayList<>();
    private final List<Runnable> undoing = new ArrayList<>();
    private int markedRows;
    private int markedEffects;
    private int markedChecks;
    private int markedUndoing;
    private @Nullable Long xid;
    private boolean open = true;
    /** Whether the store ends it, and not the one who works in it. */
    private boolean lent;

    /** Whether it ended as one does whose store goes away, for tests. */
    private boolean broken;

    private final int crashes;

    MemoryTransaction(MemoryState state) {
        this.state = state;
        this.crashes = state.crashes();
    }

    /** This transaction's id, drawn now if it has none yet. The first append draws it too, before its position. */
    public long xid() {
        synchronized (state) {
            requireOpen();
            Long drawn = xid;
            if (drawn == null) {
                drawn = state.log.drawXid(state.now());
                xid = drawn;
            }
            return drawn;
        }
    }

    public void commit() {
        synchronized (state) {
            refuseIfLent("commit");
            commitNow();
        }
    }

    public void rollback() {
        synchronized (state) {
            refuseIfLent("roll back");
            requireOpen();
            end(List.of());
        }
    }

    @Override
    public void close() {
        synchronized (state) {
            if (isOpen()) {
                refuseIfLent("close");
                end(List.of());
            }
        }
    }

    /** From here on nobody but the store ends it. */
    MemoryTransaction lend() {
        lent = true;
        return this;
    }

    void takeBack() {
        lent = false;
    }

    void commitNow() {
        check();
        effects.forEach(Runnable::run);
        end(appended);
    }

    private void refuseIfLent(String what) {
        if (lent) {
            throw new IllegalStateException("the work in a transaction must not " + what
                    + " it: Postrider commits when the work returns, and rolls back when it throws");
        }
    }

    /** Whether it can still be committed: not ended, and the store has not crashed since it began. */
    public boolean isOpen() {
        synchronized (state) {
            return open && crashes == state.crashes();
        }
    }

    /** For tests: ends it as a store does that goes away. */
    void breakOff() {
        synchronized (state) {
            requireOpen();
            broken = true;
            end(List.of());
        }
    }

    /** Whether the store has ended it, so that whoever worked in it is not to blame. */
    boolean isBroken() {
        synchronized (state) {
            return broken || crashes != state.crashes();
        }
    }

    /** Something beside the log that is done when this commits, at the same moment, and only then. */
    public void onCommit(Runnable effect) {
        synchronized (state) {
            requireOpen();
            effects.add(effect);
        }
    }

    /**
     * A check that is made when this commits, before anything of it is done: what it throws is thrown by the commit,
     * and nothing is done. Undone with the part of the transaction that it belongs to.
     */
    public void beforeCommit(Runnable check) {
        synchronized (state) {
            requireOpen();
            checks.add(check);
        }
    }

    /** Makes the checks of a commit that is about to be. */
    void check() {
        requireOpen();
        checks.forEach(Runnable::run);
        if (appended.stream().map(LogRow::event).anyMatch(state.refusedAtCommit)) {
            throw new RefusedException("the store refuses to commit an event of the transaction");
        }
    }

    // ---- a part of it -----------------------------------------------------------------------------------------------

    void mark() {
        requireOpen();
        markedRows = appended.size();
        markedEffects = effects.size();
        markedChecks = checks.size();
        markedUndoing = undoing.size();
    }

    void undo() {
        requireOpen();
        appended.subList(markedRows, appended.size()).clear();
        effects.subList(markedEffects, effects.size()).clear();
        checks.subList(markedChecks, checks.size()).clear();
        List<Runnable> since = undoing.subList(markedUndoing, undoing.size());
        since.forEach(Runnable::run);
        since.clear();
    }

    /** Something that is done when the part of the transaction that it belongs to is undone. */
    void onUndo(Runnable reversal) {
        undoing.add(reversal);
    }

    /** Whether it was committed or rolled back. */
    boolean hasEnded() {
        return !open;
    }

    void add(LogRow row) {
        appended.add(row);
    }

    boolean belongsTo(MemoryState other) {
        return state == other;
    }

    private void end(List<LogRow> left) {
        open = false;
        state.notifyAll(); // whoever waits for what this one has recorded
        if (xid != null) {
            state.log.complete(xid, left);
        }
    }

    void requireOpen() {
        if (broken) {
            throw new StoreException("the transaction was broken off");
        }
        if (!open) {
            throw new IllegalStateException("the transaction has ended");
        }
        if (!isOpen()) {
            throw new StoreException("the store has crashed since the transaction began");
        }
    }
}
