package io.postrider.engine.receive;

import io.postrider.destination.Placed;
import org.jspecify.annotations.Nullable;

/** The newest place of messages that were pulled together, kept before any of them is acknowledged. Thread-safe. */
final class PullPlace {
    private final Intake intake;
    private final String reader;
    private Placed.@Nullable Place toKeep;

    PullPlace(Intake intake, String reader, Placed.@Nullable Place newest) {
        this.intake = intake;
        this.reader = reader;
        this.toKeep = newest;
    }

    /** Keeps it, once. */
    synchronized void keep() {
        if (toKeep != null) {
            intake.place(reader, toKeep);
            toKeep = null;
        }
    }
}
