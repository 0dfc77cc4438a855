package io.postrider.engine.dispatch;

import io.postrider.Environment;
import io.postrider.destination.Destination;
import io.postrider.engine.base.Observers;
import io.postrider.operate.DestinationStatus;
import java.time.Duration;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/** The circuits of a node: one per destination, however many subscriptions deliver to it. Thread-safe. */
public final class Circuits {
    private final Environment environment;
    private final Duration longest;
    private final Observers observers;
    /** By what it is and not by what it equals: two connections to one place are down each by itself. */
    private final Map<Destination, Circuit> circuits = new IdentityHashMap<>();

    private final AtomicInteger underWay = new AtomicInteger();

    /** @param longest the longest pause between two probes */
    public Circuits(Environment environment, Duration longest, Observers observers) {
        this.environment = environment;
        this.longest = longest;
        this.observers = observers;
    }

    synchronized Circuit of(Destination destination) {
        return circuits.computeIfAbsent(destination, each -> new Circuit(each, environment, longest, observers));
    }

    /** The circuit of a destination that this subscription delivers to. */
    Circuit of(Destination destination, String subscription) {
        Circuit circuit = of(destination);
        circuit.usedBy(subscription);
        return circuit;
    }

    /** All destinations but handlers, which are in this process: of those, the ones that the store keeps waiting. */
    public synchronized List<DestinationStatus> status() {
        return circuits.values().stream()
                .filter(circuit -> !isHandler(circuit.destination()) || !circuit.isUp())
                .flatMap(circuit -> circuit.status().stream())
                .sorted(java.util.Comparator.comparing(DestinationStatus::name))
                .toList();
    }

    private static boolean isHandler(Destination destination) {
        return destination instanceof HandlerDestination || destination instanceof TransactionalDestination;
    }

    /** A call of some destination begins. */
    void begins() {
        underWay.incrementAndGet();
    }

    void ends() {
        underWay.decrementAndGet();
    }

    /** Whether nothing is being dispatched on this node. */
    public boolean isQuiet() {
        return underWay.get() == 0;
    }

    public synchronized void stop() {
        circuits.values().forEach(Circuit::stop);
    }
}
