package io.postrider.engine.base;

import io.postrider.Event;
import io.postrider.destination.Destination;
import io.postrider.destination.Outcome;
import io.postrider.observe.Observation;
import io.postrider.observe.Observer;
import io.postrider.text.Failure;
import io.postrider.text.Logs;
import java.util.List;
import java.util.function.Supplier;
import org.slf4j.Logger;

/** Several observers as one that never throws. */
public final class Observers implements Observer {
    private static final Logger LOG = Logs.of(Observers.class);

    private final List<Observer> observers;

    public Observers(List<Observer> observers) {
        this.observers = List.copyOf(observers);
    }

    /** Whether anybody looks: if not, nothing needs to be put together for them. */
    public boolean any() {
        return !observers.isEmpty();
    }

    @Override
    public boolean logsFailures() {
        return observers.stream().anyMatch(Observer::logsFailures);
    }

    @Override
    public void observe(Observation observation) {
        for (Observer observer : observers) {
            guarded(() -> observer.observe(observation));
        }
    }

    @Override
    public Event appending(Event event) {
        Event result = event;
        for (Observer observer : observers) {
            Event before = result;
            result = guarded(() -> observer.appending(before), before);
        }
        return result;
    }

    @Override
    public Dispatching dispatching(List<Destination.Dispatch> dispatches) {
        if (observers.isEmpty()) {
            return Dispatching.NONE;
        }
        return new Several(observers.stream()
                .map(observer -> guarded(() -> observer.dispatching(dispatches), Dispatching.NONE))
                .toList());
    }

    private record Several(List<Dispatching> all) implements Dispatching {
        /** In reverse, as what each put on the thread lies on top of the one before. */
        @Override
        public void left() {
            for (int i = all.size() - 1; i >= 0; i--) {
                guarded(all.get(i)::left);
            }
        }

        @Override
        public void answered(List<Outcome> outcomes) {
            all.forEach(each -> guarded(() -> each.answered(outcomes)));
        }
    }

    private static void guarded(Runnable work) {
        guarded(
                () -> {
                    work.run();
                    return true;
                },
                false);
    }

    private static <R> R guarded(Supplier<R> work, R otherwise) {
        try {
            return work.get();
        } catch (Throwable e) {
            LOG.warn("An observer failed; the engine goes on without it this time", Failure.tellable(e));
            return otherwise;
        }
    }
}
