package io.postrider.engine;

import io.postrider.DestinationStatus;
import io.postrider.spi.Destination;
import io.postrider.spi.Environment;
import java.time.Duration;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/** The circuits of a node: one per destination, however many subscriptions deliver to it. Thread-safe. */
final class Circuits {
    private final Environment environment;
    private final Duration longest;
    private final Observers observers;
    /** By what it is and not by what it equals: two connections to one place are down each by itself. */
    private final Map<Destination, Circuit> circuits = new IdentityHashMap<>();

    /** @param longest the longest pause between two probes */
    Circuits(Environment environment, Duration longest, Observers observers) {
        this.environment = environment;
        this.longest = longest;
        this.observers = observers;
    }

    synchronized Circuit of(Destination destination) {
        return circuits.computeIfAbsent(destination, each -> new Circuit(each, environment, longest, observers));
    }

    /** All destinations but handlers, which are in this process. */
    synchronized List<DestinationStatus> status() {
        return circuits.values().stream()
                .filter(circuit -> !isHandler(circuit.destination()))
                .map(Circuit::status)
                .sorted(java.util.Comparator.comparing(DestinationStatus::name))
                .toList();
    }

    private static boolean isHandler(Destination destination) {
        return destination instanceof HandlerDestination || destination instanceof TransactionalDestination;
    }

    synchronized void stop() {
        circuits.values().forEach(Circuit::stop);
    }
}
