package io.postrider.engine.dispatch;

import io.postrider.destination.Destination;
import io.postrider.destination.Outcome;
import io.postrider.engine.base.Observers;
import io.postrider.engine.base.StoreTime;
import io.postrider.observe.Observation;
import io.postrider.observe.Observer;
import io.postrider.text.Logs;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/** Calls destinations, whatever they answer, and lets observers follow. Thread-safe. */
public final class Calls {
    private static final Logger LOG = Logs.of(Calls.class);

    private final StoreTime time;
    private final Observers observers;
    private final Circuits circuits;

    public Calls(StoreTime time, Observers observers, Circuits circuits) {
        this.time = time;
        this.observers = observers;
        this.circuits = circuits;
    }

    /** A call that is about to be made, by the same thread. */
    public Call of(Destination destination, List<Destination.Dispatch> dispatches) {
        return new Call(destination, dispatches);
    }

    /** The same, for events of one subscription. */
    public Call of(String subscription, Destination destination, List<Item> items) {
        List<Destination.Dispatch> dispatches = new ArrayList<>(items.size());
        for (Item item : items) {
            dispatches.add(new Destination.Dispatch(subscription, item.event, item.attempt));
        }
        return of(destination, dispatches);
    }

    /**
     * One call. Observers are told once what came of it: what the destination answers, or that it was given up before.
     */
    public final class Call {
        private final Destination destination;
        private final List<Destination.Dispatch> dispatches;
        private final long startedNanos;
        private final Observer.Dispatching observed;
        private final AtomicBoolean told;
        private volatile @Nullable CompletableFuture<List<Outcome>> asked;
        private volatile @Nullable Outcome givenUp;
        /** Whether observers are told that it was given up. */
        private volatile boolean tellsGivenUp;
        /** Whether it counts among those under way no longer. */
        private final AtomicBoolean over = new AtomicBoolean();

        private Call(Destination destination, List<Destination.Dispatch> dispatches) {
            this.destination = destination;
            this.dispatches = dispatches;
            boolean observed = observers.any();
            this.startedNanos = observed ? time.nanos() : 0;
            this.observed = observers.dispatching(dispatches);
            this.told = new AtomicBoolean(!observed);
        }

        /** One outcome for each event, never a failure: what a destination throws, an {@link Error} too, is a retry. */
        public CompletableFuture<List<Outcome>> dispatch() {
            CompletableFuture<List<Outcome>> answer;
            circuits.begins();
            try {
                answer = answer();
            } finally {
                observed.left();
            }
            if (answer.isDone()) {
                over();
            } else {
                answer.whenComplete((outcomes, failure) -> over());
            }
            return answer.thenApply(outcomes -> {
                tell(outcomes);
                return outcomes.stream()
                        .map(outcome -> outcome.onClock(time::of))
                        .toList();
            });
        }

        private CompletableFuture<List<Outcome>> answer() {
            try {
                CompletableFuture<List<Outcome>> made =
                        destination.dispatch(dispatches).toCompletableFuture();
                CompletableFuture<List<Outcome>> answer = made.handle(this::outcomesOf);
                asked = made;
                cancelIfGivenUp();
                return answer;
            } catch (Throwable e) {
                return CompletableFuture.completedFuture(outcomesOf(null, e));
            }
        }

        private List<Outcome> outcomesOf(@Nullable List<Outcome> outcomes, @Nullable Throwable failure) {
            int size = dispatches.size();
            List<Outcome> all = outcomes == null ? List.of() : copy(outcomes);
            if (all.size() == size) {
                all.forEach(this::noteDown);
                return all;
            }
            return Collections.nCopies(
                    size,
                    failure != null
                            ? Outcome.retry(unwrapped(failure))
                            : Outcome.retry("the destination did not answer for each event"));
        }

        /** Of the host's list, which may be any; nothing where an outcome is missing. */
        private static List<Outcome> copy(List<Outcome> outcomes) {
            try {
                return List.copyOf(outcomes);
            } catch (RuntimeException e) {
                return List.of();
            }
        }

        /** A stage that depends on another wraps what failed there. */
        private static Throwable unwrapped(Throwable failure) {
            Throwable cause = failure.getCause();
            return failure instanceof CompletionException && cause != null ? cause : failure;
        }

        private void noteDown(Outcome outcome) {
            if (outcome.isDown()) {
                circuits.of(destination).down(String.valueOf(outcome.why()));
            }
        }

        /** Nobody waits for it any more: this is what came of it, unless it has been answered before. */
        void giveUp(Outcome outcome) {
            tellsGivenUp = told.compareAndSet(false, true);
            givenUp = outcome;
        }

        /** The destination hears that it was given up, so that it does not send later what it has not sent yet. */
        void tellGivenUp() {
            Outcome outcome = givenUp;
            try {
                if (tellsGivenUp && outcome != null) {
                    observe(Collections.nCopies(dispatches.size(), outcome));
                }
                cancelIfGivenUp(); // last: where it fails, observers have been told
            } catch (Throwable e) {
                LOG.warn("A destination failed as a call to it was given up; the call is given up all the same", e);
            } finally {
                over();
            }
        }

        private void over() {
            if (over.compareAndSet(false, true)) {
                circuits.ends();
            }
        }

        private void cancelIfGivenUp() {
            CompletableFuture<List<Outcome>> made = asked;
            if (givenUp != null && made != null) {
                made.cancel(true);
            }
        }

        private void tell(List<Outcome> outcomes) {
            if (told.compareAndSet(false, true)) {
                observe(outcomes);
            }
        }

        private void observe(List<Outcome> outcomes) {
            observed.answered(outcomes);
            Duration took = Duration.ofNanos(time.nanos() - startedNanos);
            for (int i = 0; i < dispatches.size(); i++) {
                Destination.Dispatch dispatch = dispatches.get(i);
                if (outcomes.get(i).isDown()) {
                    continue; // told once, of the destination
                }
                observers.observe(new Observation.Dispatched(
                        dispatch.subscription(), dispatch.event(), dispatch.attempt(), outcomes.get(i), took));
            }
        }
    }
}
