package io.postrider.simulation;

/** A guarantee that did not hold. */
final class Violation extends Error {
    private static final long serialVersionUID = 1L;

    Violation(String message) {
        super(message, null, false, false);
    }
}
