package io.postrider.engine.dispatch;

import io.postrider.destination.Destination;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;

/** How much more the destinations take; a worker that finds none ends, and another begins when there is some. */
final class Windows implements Room {
    private final Map<Destination, Circuit> circuits;
    private final BooleanSupplier nothingWaits;
    private final Runnable join;
    private final AtomicBoolean awaited = new AtomicBoolean();
    private final AtomicBoolean again = new AtomicBoolean();
    private final Runnable onRoom = this::onRoom;

    /** @param join has one more worker begin */
    Windows(Map<Destination, Circuit> circuits, BooleanSupplier nothingWaits, Runnable join) {
        this.circuits = circuits;
        this.nothingWaits = nothingWaits;
        this.join = join;
    }

    @Override
    public int take(Destination destination, int wanted) {
        int granted = circuit(destination).take(wanted, onRoom);
        if (granted == 0) {
            awaited.set(true);
        }
        return granted;
    }

    @Override
    public void give(Destination destination, int unneeded) {
        circuit(destination).give(unneeded);
    }

    private Circuit circuit(Destination destination) {
        return Objects.requireNonNull(circuits.get(destination), "every destination has a circuit");
    }

    private void onRoom() {
        awaited.set(false);
        again.set(true);
        join.run();
    }

    boolean isAwaited() {
        return awaited.get();
    }

    /** Whether there was room again while a worker was about to end. */
    boolean again() {
        return again.getAndSet(false) && !nothingWaits.getAsBoolean();
    }
}
