package io.postrider.engine.dispatch;

import io.postrider.StoredEvent;
import io.postrider.destination.Destination;
import io.postrider.destination.Guarded;
import io.postrider.operate.DestinationStatus;
import java.util.ArrayList;
import java.util.Collection;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The circuits of a subscription's destinations. Immutable; the circuits are thread-safe. */
public final class Reach {
    private final SubscriptionSpec spec;
    private final Map<Destination, Circuit> circuits = new IdentityHashMap<>();
    /** In the order of the routes: maps by identity have another order in each process. */
    private final List<Circuit> ordered = new ArrayList<>();

    public Reach(SubscriptionSpec spec, Circuits shared) {
        this.spec = spec;
        for (Destination each : spec.routes().destinations()) {
            Circuit circuit = shared.of(each, spec.name());
            if (circuits.put(each, circuit) == null) {
                ordered.add(circuit);
            }
        }
    }

    public Map<Destination, Circuit> circuits() {
        return circuits;
    }

    /** The destination of an event, if it is down. */
    public Optional<DestinationStatus> down(StoredEvent event) {
        return spec.route(event)
                .flatMap(destination -> Optional.ofNullable(circuits.get(destination)))
                .flatMap(circuit -> circuit.statusIn(spec.name()))
                .filter(status -> !status.isUp());
    }

    /** From now on this is called each time one of them takes events again. */
    public void onUp(Runnable goOn) {
        ordered.forEach(circuit -> circuit.onUp(goOn));
    }

    /** Whether every destination takes events, as far as this node knows. */
    public boolean isUp() {
        for (Circuit circuit : ordered) {
            if (!circuit.isUp()) {
                return false;
            }
        }
        return true;
    }

    /** Those that can lose what they have acknowledged. */
    public Collection<Circuit> guarded() {
        return ordered.stream()
                .filter(circuit -> circuit.destination() instanceof Guarded)
                .toList();
    }
}
