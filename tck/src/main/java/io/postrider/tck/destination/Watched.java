package io.postrider.tck.destination;

import io.postrider.destination.Connected;
import io.postrider.destination.Destination;
import io.postrider.destination.Guarded;
import io.postrider.destination.Outcome;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A destination that counts what it is given and what it has not answered. Thread-safe. */
class Watched implements Destination {
    private final Destination destination;
    private final Set<Object> keysUnderWay = new HashSet<>();
    private int underWay;
    private int mostUnderWay;
    private int largestBatch;
    private int highestAttempt;
    private int delivered;
    private int failedProbes;
    private boolean keysOverlapped;

    private Watched(Destination destination) {
        this.destination = destination;
    }

    /** One that can do what this one can. */
    static Watched of(Destination destination) {
        if (destination instanceof Guarded guarded) {
            return new WatchedGuarded(guarded);
        }
        return destination instanceof Connected connected ? new WatchedConnected(connected) : new Watched(destination);
    }

    @Override
    public String kind() {
        return destination.kind();
    }

    @Override
    public Profile profile() {
        return destination.profile();
    }

    @Override
    public CompletionStage<List<Outcome>> dispatch(List<Dispatch> dispatches) {
        begin(dispatches);
        try {
            return destination.dispatch(dispatches).whenComplete((outcomes, failure) -> end(dispatches, outcomes));
        } catch (RuntimeException | Error e) {
            end(dispatches, null);
            throw e;
        }
    }

    @Override
    public CompletionStage<Void> probe() {
        return destination.probe().whenComplete((done, failure) -> probed(failure));
    }

    private synchronized void begin(List<Dispatch> dispatches) {
        underWay += dispatches.size();
        mostUnderWay = Math.max(mostUnderWay, underWay);
        largestBatch = Math.max(largestBatch, dispatches.size());
        for (Dispatch dispatch : dispatches) {
            keysOverlapped |= !keysUnderWay.add(dispatch.event().orderKey());
            highestAttempt = Math.max(highestAttempt, dispatch.attempt());
        }
    }

    private synchronized void end(List<Dispatch> dispatches, @Nullable List<Outcome> outcomes) {
        underWay -= dispatches.size();
        dispatches.forEach(dispatch -> keysUnderWay.remove(dispatch.event().orderKey()));
        if (outcomes != null) {
            delivered += (int) outcomes.stream()
                    .filter(Outcome.Delivered.class::isInstance)
                    .count();
        }
    }

    private synchronized void probed(@Nullable Throwable failure) {
        failedProbes += failure == null ? 0 : 1;
    }

    /** The most events that were without an answer at once. */
    synchronized int mostUnderWay() {
        return mostUnderWay;
    }

    synchronized int largestBatch() {
        return largestBatch;
    }

    synchronized int highestAttempt() {
        return highestAttempt;
    }

    synchronized int delivered() {
        return delivered;
    }

    synchronized int failedProbes() {
        return failedProbes;
    }

    /** Whether two events of one key were ever under way at the same time. */
    synchronized boolean keysOverlapped() {
        return keysOverlapped;
    }

    private static class WatchedConnected extends Watched implements Connected {
        private final Connected connected;

        WatchedConnected(Connected connected) {
            super(connected);
            this.connected = connected;
        }

        @Override
        public void onCutOff(Consumer<String> listener) {
            connected.onCutOff(listener);
        }
    }

    private static final class WatchedGuarded extends WatchedConnected implements Guarded {
        private final Guarded guarded;

        WatchedGuarded(Guarded guarded) {
            super(guarded);
            this.guarded = guarded;
        }

        @Override
        public CompletionStage<List<Boolean>> verify(List<Sealed> seals) {
            return guarded.verify(seals);
        }
    }
}
