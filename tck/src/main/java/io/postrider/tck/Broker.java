package io.postrider.tck;

import io.postrider.EventId;
import io.postrider.destination.Guarded;
import io.postrider.destination.Outcome;
import io.postrider.destination.Receipt;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A broker in memory with one stream, which can be down, be slow and lose what it has acknowledged. Thread-safe. */
final class Broker implements Guarded {
    static final int WINDOW = 16;
    private static final String STREAM = "LETTERS";

    private final List<Stored> stored = new ArrayList<>();
    private final List<Dispatch> seen = new ArrayList<>();
    private final List<Consumer<String>> listeners = new CopyOnWriteArrayList<>();
    private int accepts = Integer.MAX_VALUE;
    private int underWay;
    private int underWayMost;
    private Function<Dispatch, @Nullable Outcome> refusal = dispatch -> null;
    private @Nullable Gate gate;
    private int unanswered;

    private record Stored(EventId id, String text) {}

    @Override
    public Profile profile() {
        return new Profile("broker", 8, WINDOW, Duration.ofMinutes(1));
    }

    @Override
    public void onCutOff(Consumer<String> listener) {
        listeners.add(listener);
    }

    @Override
    public CompletionStage<List<Outcome>> dispatch(List<Dispatch> dispatches) {
        synchronized (this) {
            underWay += dispatches.size();
            underWayMost = Math.max(underWayMost, underWay);
        }
        return CompletableFuture.supplyAsync(() -> answer(dispatches));
    }

    private List<Outcome> answer(List<Dispatch> dispatches) {
        pass();
        synchronized (this) {
            underWay -= dispatches.size();
            return dispatches.stream().map(this::accept).toList();
        }
    }

    private void pass() {
        Gate closed = gate();
        if (closed != null) {
            try {
                closed.pass();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    private Outcome accept(Dispatch dispatch) {
        if (accepts <= 0) {
            return Outcome.down("no route to the broker");
        }
        accepts--;
        seen.add(dispatch);
        Outcome refused = refusal.apply(dispatch);
        if (refused != null) {
            return refused;
        }
        int at = ids().indexOf(dispatch.event().id());
        if (at < 0) {
            stored.add(new Stored(dispatch.event().id(), LaneReader.text(dispatch.event())));
            at = stored.size() - 1;
        }
        return new Outcome.Delivered(new Receipt(STREAM, at + 1L));
    }

    private List<EventId> ids() {
        return stored.stream().map(Stored::id).toList();
    }

    @Override
    public synchronized CompletionStage<Void> probe() {
        return accepts > 0
                ? CompletableFuture.completedStage(null)
                : CompletableFuture.failedStage(new IllegalStateException("still no route to the broker"));
    }

    @Override
    public synchronized CompletionStage<List<Boolean>> verify(List<Sealed> seals) {
        if (unanswered > 0) {
            unanswered--;
            return new CompletableFuture<>();
        }
        return accepts > 0
                ? CompletableFuture.completedStage(seals.stream().map(this::has).toList())
                : CompletableFuture.failedStage(new IllegalStateException("no route to the broker"));
    }

    private boolean has(Sealed seal) {
        long sequence = seal.receipt().sequence();
        return sequence <= stored.size() && stored.get((int) sequence - 1).id().equals(seal.event());
    }

    // ---- what tests do with it --------------------------------------------------------------------------------------

    synchronized void down() {
        accepts = 0;
    }

    synchronized void downAfter(int events) {
        accepts = events;
    }

    synchronized void up() {
        accepts = Integer.MAX_VALUE;
    }

    /** Tells everyone that it is cut off, as a lost connection does. */
    void cutOff(String why) {
        down();
        listeners.forEach(listener -> listener.accept(why));
    }

    /** Forgets everything but the first so many, which it had acknowledged; their numbers are used again. */
    synchronized void keepOnly(int messages) {
        stored.subList(messages, stored.size()).clear();
    }

    /** Takes messages of others. */
    synchronized void fill(int messages) {
        for (int i = 0; i < messages; i++) {
            stored.add(new Stored(StoreCase.drawId(), "of somebody else"));
        }
    }

    /** Answers some events otherwise. */
    synchronized void answer(Function<Dispatch, @Nullable Outcome> refusal) {
        this.refusal = refusal;
    }

    /** Loses the answers to so many questions for what it has. */
    synchronized void loseAnswers(int questions) {
        unanswered = questions;
    }

    /** How many answers it is still to lose. */
    synchronized int unanswered() {
        return unanswered;
    }

    /** Answers nothing until the gate is open. */
    synchronized void hold(Gate gate) {
        this.gate = gate;
    }

    private synchronized @Nullable Gate gate() {
        return gate;
    }

    synchronized List<String> texts() {
        return stored.stream().map(Stored::text).toList();
    }

    synchronized List<Dispatch> seen() {
        return List.copyOf(seen);
    }

    synchronized int underWayMost() {
        return underWayMost;
    }
}
