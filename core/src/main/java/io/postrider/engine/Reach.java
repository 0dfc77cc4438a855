package io.postrider.engine;

import io.postrider.spi.Destination;
import io.postrider.spi.Guarded;
import java.util.Collection;
import java.util.IdentityHashMap;
import java.util.Map;

/** The circuits of a subscription's destinations. Immutable; the circuits are thread-safe. */
final class Reach {
    private final Map<Destination, Circuit> circuits = new IdentityHashMap<>();

    Reach(SubscriptionSpec spec, Circuits shared) {
        spec.routes().destinations().forEach(each -> circuits.put(each, shared.of(each, spec.name())));
    }

    Map<Destination, Circuit> circuits() {
        return circuits;
    }

    /** From now on this is called each time one of them takes events again. */
    void onUp(Runnable goOn) {
        circuits.values().forEach(circuit -> circuit.onUp(goOn));
    }

    /** Whether every destination takes events, as far as this node knows. */
    boolean isUp() {
        for (Circuit circuit : circuits.values()) {
            if (!circuit.isUp()) {
                return false;
            }
        }
        return true;
    }

    /** Those that can lose what they have acknowledged. */
    Collection<Circuit> guarded() {
        return circuits.values().stream()
                .filter(circuit -> circuit.destination() instanceof Guarded)
                .toList();
    }
}
