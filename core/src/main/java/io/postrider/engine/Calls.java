package io.postrider.engine;

import io.postrider.Observation;
import io.postrider.Outcome;
import io.postrider.spi.Destination;
import io.postrider.spi.Environment;
import io.postrider.spi.Observer;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** Calls destinations, whatever they answer, and lets observers follow. Thread-safe. */
final class Calls {
    private final Environment environment;
    private final Observers observers;

    Calls(Environment environment, Observers observers) {
        this.environment = environment;
        this.observers = observers;
    }

    /**
     * One outcome for each event, never a failure.
     *
     * @param givenUp whether the answer, once it is there, comes too late to count
     */
    CompletableFuture<List<Outcome>> dispatch(
            Destination destination, List<Destination.Dispatch> dispatches, BooleanSupplier givenUp) {
        if (!observers.any()) {
            return dispatch(destination, dispatches);
        }
        long begin = environment.nanos();
        Observer.Dispatching observed = observers.dispatching(dispatches);
        CompletableFuture<List<Outcome>> answer = dispatch(destination, dispatches);
        observed.left();
        return answer.thenApply(outcomes -> {
            observed.answered(outcomes);
            if (!givenUp.getAsBoolean()) {
                tell(dispatches, outcomes, Duration.ofNanos(environment.nanos() - begin));
            }
            return outcomes;
        });
    }

    private static CompletableFuture<List<Outcome>> dispatch(
            Destination destination, List<Destination.Dispatch> dispatches) {
        try {
            return destination
                    .dispatch(dispatches)
                    .toCompletableFuture()
                    .handle((outcomes, failure) -> outcomesOf(dispatches.size(), outcomes, failure));
        } catch (RuntimeException e) {
            return CompletableFuture.completedFuture(outcomesOf(dispatches.size(), null, e));
        }
    }

    private static List<Outcome> outcomesOf(int size, @Nullable List<Outcome> outcomes, @Nullable Throwable failure) {
        if (outcomes != null && outcomes.size() == size && outcomes.stream().allMatch(Objects::nonNull)) {
            return outcomes;
        }
        String why = failure != null ? failure.toString() : "the destination did not answer for each event";
        return Collections.nCopies(size, Outcome.retry(why));
    }

    /** What came of a call. */
    void tell(List<Destination.Dispatch> dispatches, List<Outcome> outcomes, Duration took) {
        if (observers.any()) {
            for (int i = 0; i < dispatches.size(); i++) {
                Destination.Dispatch dispatch = dispatches.get(i);
                observers.observe(new Observation.Dispatched(
                        dispatch.subscription(), dispatch.event(), dispatch.attempt(), outcomes.get(i), took));
            }
        }
    }
}
