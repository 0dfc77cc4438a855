package io.postrider.engine.dispatch;

import io.postrider.destination.Destination;
import io.postrider.destination.Outcome;
import io.postrider.policy.AfterDead;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The events of one claim on their way to a destination: per key in order, keys in parallel.
 *
 * <p>Workers take events in the order of the claim. One whose key is busy waits behind it; one whose key has failed is
 * blocked. Nobody takes from a closed batch. A batch is done when nothing that was taken is without an outcome and
 * nothing more can be taken; {@link #cut} ends it earlier, and what is still running then reports to {@code straggler}.
 *
 * <p>Thread-safe: workers take and finish, the lane closes and cuts.
 */
public final class Batch {
    private static final ArrayDeque<Item> NOBODY = new ArrayDeque<>(0);
    private static final Comparator<Item> BY_POSITION =
            Comparator.comparingLong(item -> item.event.position().value());

    private final List<Item> items;
    private final long term;
    private final BooleanSupplier verified;
    private final Supplier<Instant> now;
    private final KeyFate.Cases fate;
    private Listener listener = Listener.NOBODY;
    private final Map<Object, ArrayDeque<Item>> busy = new HashMap<>();
    private final ArrayDeque<Item> ready = new ArrayDeque<>();
    private int end;
    private int next;
    private int underWay;
    private int waiting;
    private boolean closed;
    private boolean cut;
    private boolean done;
    private boolean givenUp;
    /** A destination was down: nothing behind the first event that it did not take is settled. */
    private boolean unreached;

    /** Whom a batch tells. Called without its lock, by whichever thread caused it. */
    public interface Listener {
        /** Whoever dispatches the batch knows by itself. */
        Listener NOBODY = new Listener() {
            @Override
            public void done(Batch batch) {}

            @Override
            public void straggler(Item item) {}
        };

        /** Everything that was taken has an outcome, and nothing more will be taken. */
        void done(Batch batch);

        /** An event that was running when the batch was cut has an outcome now. */
        void straggler(Item item);
    }

    /** Events for one call of a destination; none if it has no room at present. */
    public record Chunk(Batch batch, Destination destination, List<Item> items) {}

    public Batch(List<Item> items, AfterDead afterDead, long term, Supplier<Instant> now) {
        this(items, afterDead, term, () -> true, now);
    }

    /** @param verified whether what its lane knows of itself and its destinations still holds; from any thread */
    public Batch(List<Item> items, AfterDead afterDead, long term, BooleanSupplier verified, Supplier<Instant> now) {
        this.items = items;
        this.fate = new KeyFate.Cases(afterDead);
        this.term = term;
        this.verified = verified;
        this.now = now;
        this.end = items.size();
    }

    /** Before anyone takes from it. */
    public void tells(Listener told) {
        listener = told;
    }

    /** The term of the lease in which its lane was claimed. */
    long term() {
        return term;
    }

    /** Whether its lane is its node's, and no destination lost events since. Asked after the lease: see revoke. */
    boolean isVerified() {
        return verified.getAsBoolean();
    }

    List<Item> items() {
        return items;
    }

    /** The next events to dispatch, or null if there are none at present. */
    @Nullable
    Chunk take(Room room) {
        Chunk chunk;
        boolean nowDone;
        synchronized (this) {
            chunk = nextChunk(room);
            nowDone = chunk == null && becomesDone();
        }
        if (nowDone) {
            listener.done(this);
        }
        return chunk;
    }

    private @Nullable Chunk nextChunk(Room room) {
        Item first = nextItem();
        if (first == null) {
            return null;
        }
        Destination destination = first.destination();
        int most = first.row != null ? 1 : destination.profile().batch();
        int granted = room.take(destination, most);
        if (granted == 0) {
            putBack(first);
            return new Chunk(this, destination, List.of());
        }
        if (granted == 1) {
            return new Chunk(this, destination, List.of(start(first)));
        }
        List<Item> chunk = new ArrayList<>();
        for (Item item = first; item != null; item = chunk.size() < granted ? nextFor(destination) : null) {
            chunk.add(start(item));
        }
        chunk.sort(BY_POSITION);
        room.give(destination, granted - chunk.size());
        return new Chunk(this, destination, chunk);
    }

    private void putBack(Item first) {
        if (first.state == Item.State.WAITING) {
            ready.addFirst(first);
            waiting++;
        } else {
            next--;
        }
    }

    synchronized boolean hasMore() {
        return !closed && (!ready.isEmpty() || next < end);
    }

    private @Nullable Item nextItem() {
        if (closed) {
            return null;
        }
        while (!ready.isEmpty()) {
            waiting--;
            Item item = ready.remove();
            if (!expires(item)) {
                return item;
            }
            release(item);
        }
        while (next < end) {
            Item item = items.get(next++);
            if (item.state == Item.State.UNSTARTED && !queueIfBusy(item) && !expires(item)) {
                return item;
            }
        }
        return null;
    }

    /** Whether its time has passed, which decides it: the dispatch that was about to begin does not count. */
    private boolean expires(Item item) {
        if (!hasExpired(item)) {
            return false;
        }
        item.attempt--;
        item.decide(Outcome.EXPIRED);
        return true;
    }

    private boolean hasExpired(Item item) {
        Instant expiresAt = item.expiresAt();
        return expiresAt != null && !now.get().isBefore(expiresAt);
    }

    private boolean queueIfBusy(Item item) {
        ArrayDeque<Item> queue = busy.get(item.orderKey);
        if (queue == null) {
            return false;
        }
        if (queue == NOBODY) {
            queue = new ArrayDeque<>();
            busy.put(item.orderKey, queue);
        }
        queue.add(item);
        item.state = Item.State.WAITING;
        waiting++;
        return true;
    }

    /**
     * One more for the same call: those that waited behind their key first, else each would be a call of its own. What
     * is committed or undone together may be of one key.
     */
    private @Nullable Item nextFor(Destination destination) {
        Item waited = ready.peek();
        if (waited != null && goesTogether(waited, destination)) {
            waiting--;
            return ready.remove();
        }
        while (next < end) {
            Item item = items.get(next);
            if (item.state == Item.State.UNSTARTED
                    && (destination instanceof WithinTransaction || !queueIfBusy(item))) {
                return goesTogether(item, destination) ? items.get(next++) : null;
            }
            next++;
        }
        return null;
    }

    private boolean goesTogether(Item item, Destination destination) {
        return item.row == null && item.destination() == destination && !hasExpired(item);
    }

    private Item start(Item item) {
        busy.putIfAbsent(item.orderKey, NOBODY);
        item.start();
        underWay++;
        return item;
    }

    /** Notes the outcomes of a chunk; a second answer for the same event, after a timeout, is ignored. */
    void finish(Chunk chunk, List<Outcome> outcomes) {
        List<Item> stragglers = new ArrayList<>(0);
        boolean nowDone;
        synchronized (this) {
            for (int i = 0; i < chunk.items().size(); i++) {
                Item item = chunk.items().get(i);
                if (item.state == Item.State.STARTED) {
                    underWay--;
                    if (cut) {
                        item.decide(outcomes.get(i));
                        stragglers.add(item);
                    } else {
                        finish(item, outcomes.get(i));
                    }
                }
            }
            nowDone = becomesDone();
        }
        stragglers.forEach(listener::straggler);
        if (nowDone) {
            listener.done(this);
        }
    }

    private void finish(Item item, Outcome outcome) {
        if (outcome.match(fate) == KeyFate.PUT_BACK) {
            item.undo();
            closed = true;
            unreached = true;
        } else {
            item.decide(outcome);
            release(item);
        }
    }

    private void release(Item item) {
        ArrayDeque<Item> queue = busy.get(item.orderKey);
        if (queue == null) {
            return;
        }
        if (item.outcome().match(fate) == KeyFate.IS_BLOCKED) {
            queue.forEach(follower -> follower.state = Item.State.BLOCKED);
            waiting -= queue.size();
            blockRest(item.orderKey);
            busy.remove(item.orderKey);
        } else if (queue.isEmpty()) {
            busy.remove(item.orderKey);
        } else {
            ready.add(queue.remove());
        }
    }

    private void blockRest(Object orderKey) {
        for (int i = next; i < items.size(); i++) {
            Item item = items.get(i);
            if (item.state == Item.State.UNSTARTED && item.orderKey.equals(orderKey)) {
                item.state = Item.State.BLOCKED;
            }
        }
        ready.removeIf(item -> {
            boolean same = item.orderKey.equals(orderKey);
            if (same) {
                item.state = Item.State.BLOCKED;
                waiting--;
            }
            return same;
        });
    }

    private boolean becomesDone() {
        if (done || underWay > 0 || !(closed || (waiting == 0 && next >= end))) {
            return false;
        }
        done = true;
        return !cut;
    }

    /** Ends the batch with what has begun: nothing else is started, keys that are under way go on. */
    public void shorten() {
        boolean nowDone;
        synchronized (this) {
            end = next;
            nowDone = becomesDone();
        }
        if (nowDone) {
            listener.done(this);
        }
    }

    /** Lets nobody take any more; what is running goes on. */
    public void close() {
        boolean nowDone;
        synchronized (this) {
            closed = true;
            nowDone = becomesDone();
        }
        if (nowDone) {
            listener.done(this);
        }
    }

    /** Ends the batch now: whoever waits is blocked, whoever runs becomes a straggler. False if it was done anyway. */
    public synchronized boolean cut() {
        if (done || cut) {
            return false;
        }
        closed = true;
        cut = true;
        items.forEach(item -> item.straggler = item.state == Item.State.STARTED);
        return true;
    }

    /** Ends the batch because its transaction is given up: what runs has failed, what was delivered is undone. */
    synchronized void giveUp(Outcome outcome) {
        closed = true;
        givenUp = true;
        items.stream().filter(Item::isDelivered).forEach(Item::undo);
        Item.fail(Item.undone(items), outcome); // what runs
    }

    /** Ends the batch because its transaction was refused: an event alone has failed, of several each is suspect. */
    synchronized void refuse(Outcome outcome) {
        closed = true;
        Item.fail(Item.undone(items), outcome);
    }

    /**
     * Takes back what was delivered or runs, because the transaction was undone: each event is taken again. False if
     * the batch has been given up meanwhile, and is its lane's.
     */
    synchronized boolean takeBack() {
        if (givenUp) {
            return false;
        }
        List<Item> undone = Item.undone(items);
        next = undone.isEmpty() ? next : items.indexOf(undone.get(0));
        undone.forEach(Item::undo);
        busy.clear();
        underWay = 0;
        return true;
    }

    /**
     * How many events at the head of the claim were taken, waited or were decided: the rest was never begun. Nor were
     * those at its end that only waited when it was closed. Where a destination was down, it ends before the first
     * event that has not reached it: what was delivered behind that one is delivered again, but nothing is parked.
     */
    public synchronized int begun() {
        int begun = next;
        if (unreached && !cut) {
            begun = (int) items.stream()
                    .limit(next)
                    .takeWhile(item -> !item.isUnreached())
                    .count();
        }
        while (closed && !cut && begun > 0 && items.get(begun - 1).onlyWaited()) {
            begun--;
        }
        return begun;
    }
}
