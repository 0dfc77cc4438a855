package io.postrider.simulation;

/** An {@link Error} that a plan asks for: as one of a virtual machine without memory, or of a class that is missing. */
final class PlannedError extends Error {
    private static final long serialVersionUID = 1L;

    PlannedError() {
        super("as planned", null, false, false);
    }
}
