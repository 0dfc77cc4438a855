package io.postrider.nats;

/** The server is there, and what it says does not fit the configuration: waiting does not help. */
final class Misconfigured extends IllegalStateException {
    private static final long serialVersionUID = 1;

    Misconfigured(String message) {
        super(message);
    }
}
