package io.postrider.engine.dispatch;

import io.postrider.store.Cursor;
import io.postrider.store.Page;
import java.util.List;

/** A batch of a lane on its way to its {@link Landing}. */
public final class Flight {
    private final Batch batch;
    private final Claimed claimed;
    private final Draft draft;
    private final Reserved reserved;
    private final long startedNanos;
    private final Reports reports;
    /** The transaction of a flight whose settlement commits with its effects. */
    private final PendingCall transaction = new PendingCall();
    /** Whether one of its handlers runs in that transaction, and does not wait for the store. */
    private volatile boolean handling;

    /** A batch's part of the node's budget. */
    public record Reserved(long events, long bytes) {}

    /** The lane of a flight. Called by any thread. */
    public interface Reports {
        /** The flight has ended; told once. */
        void landed(Flight flight, Landing landing);

        /** An event has ended that was running when its flight was cut. */
        void straggler(Item item);
    }

    /**
     * @param claimed the batch is made of this
     * @param draft the settlement, as far as the lane knows it
     * @param startedNanos when the flight began
     */
    public Flight(Batch batch, Claimed claimed, Draft draft, Reserved reserved, long startedNanos, Reports reports) {
        this.batch = batch;
        this.claimed = claimed;
        this.draft = draft;
        this.reserved = reserved;
        this.startedNanos = startedNanos;
        this.reports = reports;
    }

    public Batch batch() {
        return batch;
    }

    public Claimed claimed() {
        return claimed;
    }

    public Reserved reserved() {
        return reserved;
    }

    public long startedNanos() {
        return startedNanos;
    }

    Draft draft() {
        return draft;
    }

    PendingCall transaction() {
        return transaction;
    }

    void handles(boolean now) {
        handling = now;
    }

    boolean isHandling() {
        return handling;
    }

    void land(Landing landing) {
        reports.landed(this, landing);
    }

    void straggler(Item item) {
        reports.straggler(item);
    }

    /** The rows, and the events at the head of the claim that have begun: the rest is read again. */
    public List<Item> begun() {
        return batch.items().subList(0, Math.max(batch.begun(), claimed.rows().size()));
    }

    /** The events that are read again. */
    public List<Item> rest() {
        return batch.items().subList(begun().size(), batch.items().size());
    }

    /** Whether some event of it has been dispatched that comes again unless it is settled. */
    public boolean hasDispatched() {
        synchronized (batch) {
            return batch.items().stream().anyMatch(Item::comesAgain);
        }
    }

    /** Whether a read at once may find more than this claim has: it was full, or not all of it has begun. */
    public boolean leavesMore() {
        Page page = claimed.page();
        return page == null || page.more() || begun().size() < claimed.size();
    }

    /** The lane's cursor once what has begun is settled. */
    Cursor after() {
        Page page = claimed.page();
        return page == null
                ? draft.cursor()
                : page.after(begun().size() - claimed.rows().size());
    }
}
