package io.postrider.engine.dispatch;

import io.postrider.StoredEvent;
import io.postrider.destination.Destination;
import io.postrider.destination.Outcome;
import io.postrider.operate.Delivery;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** One event in a batch, on its way to an outcome. Guarded by its batch. */
public final class Item {
    public final StoredEvent event;
    public final Object orderKey;
    /** The row it has already, because an earlier dispatch did not settle it. */
    public final @Nullable Delivery row;

    private final @Nullable Destination destination;
    /** The number of the dispatch that is under way or comes next, 1 for the first. */
    public int attempt;

    public State state = State.UNSTARTED;
    /** It has been handed to its destination. */
    boolean dispatched;

    /** It was running when its batch was cut: it settles on its own, whenever it ends. */
    public boolean straggler;

    /** A delivery row of its key comes first. */
    public boolean behind;

    /** The transaction of its batch was refused, perhaps because of it: it is to run alone. */
    boolean suspect;

    @Nullable
    Outcome outcome;

    public enum State {
        UNSTARTED,
        /** An earlier event of its key is under way in the same batch. */
        WAITING,
        STARTED,
        /** It may not start before a delivery row of its key has settled. */
        BLOCKED,
        DECIDED
    }

    public Item(StoredEvent event, Object orderKey, @Nullable Delivery row, @Nullable Destination destination) {
        this.event = event;
        this.orderKey = orderKey;
        this.row = row;
        this.destination = destination;
        this.attempt = row == null ? 1 : row.attempt();
    }

    /** A row has its own: whoever replays an event takes its expiry away. */
    @Nullable
    Instant expiresAt() {
        return row != null ? row.schedule().expiresAt() : event.schedule().expiresAt();
    }

    /** Whether it was meant for a destination. */
    boolean isRouted() {
        return destination != null;
    }

    public Destination destination() {
        return Objects.requireNonNull(destination, "an event without a destination is never dispatched");
    }

    /** It has no row, and has come no further than behind an earlier one of its key. */
    boolean onlyWaited() {
        return state == State.WAITING && row == null;
    }

    /** It is to be read again: it was not dispatched, or nobody knows whether it arrived. */
    boolean isUnreached() {
        return row == null && (state == State.UNSTARTED || state == State.WAITING);
    }

    void start() {
        this.dispatched = true;
        this.state = State.STARTED;
    }

    public void decide(Outcome outcome) {
        this.outcome = outcome;
        this.state = State.DECIDED;
    }

    public boolean isDelivered() {
        return state == State.DECIDED && outcome().isDelivered();
    }

    /** Its effect was undone with the transaction of its batch, or its destination was down. */
    void undo() {
        this.outcome = null;
        this.state = State.UNSTARTED;
    }

    /** Those whose effects are undone with their transaction, in their order. */
    static List<Item> undone(List<Item> items) {
        return items.stream()
                .filter(item -> item.state == State.STARTED || item.isDelivered())
                .toList();
    }

    /** The transaction of these is undone by a fault: an event alone has failed, of several each is suspect. */
    static void fail(List<Item> items, Outcome outcome) {
        if (items.size() == 1) {
            items.get(0).decide(outcome);
            return;
        }
        for (Item item : items) {
            item.undo();
            item.suspect = true;
        }
    }

    /** It has been dispatched, and was not undone: whoever has its lane without its settlement dispatches it again. */
    boolean comesAgain() {
        return dispatched && (state == State.STARTED || state == State.DECIDED);
    }

    public Outcome outcome() {
        return Objects.requireNonNull(outcome, "not decided");
    }
}
