package io.postrider.memory.destination;

import io.postrider.Event;
import io.postrider.destination.Destination;
import io.postrider.destination.Outcome;
import io.postrider.tck.destination.DestinationFixture;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** A destination that does nothing and says that all is well, and no patience with it. */
final class NothingFixture implements DestinationFixture {

    private static final class Nothing implements Destination, AutoCloseable {
        @Override
        public Profile profile() {
            return new Profile("nothing", 16, Integer.MAX_VALUE, Duration.ZERO);
        }

        @Override
        public CompletionStage<List<Outcome>> dispatch(List<Dispatch> dispatches) {
            return CompletableFuture.completedStage(Collections.nCopies(dispatches.size(), Outcome.DELIVERED));
        }

        @Override
        public CompletionStage<Void> probe() {
            return CompletableFuture.completedStage(null);
        }

        @Override
        public void close() {}
    }

    @Override
    public Destination open() {
        return new Nothing();
    }

    @Override
    public List<Arrived> arrived() {
        return List.of();
    }

    @Override
    public void stopServer() {}

    @Override
    public void startServer() {}

    @Override
    public void pauseServer() {}

    @Override
    public void resumeServer() {}

    @Override
    public Event refused() {
        return Event.of("nothing", "nothing");
    }

    @Override
    public String refusal() {
        return "nothing";
    }

    @Override
    public Set<Limitation> limitations() {
        return Set.of();
    }

    @Override
    public Duration patience() {
        return Duration.ofMillis(20);
    }

    @Override
    public void close() {}
}
