package io.postrider.store;

/** A log does not take an event because of the event's own data, however often it is appended. */
public final class RefusedEventException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    public RefusedEventException(String message) {
        super(message);
    }

    public RefusedEventException(String message, Throwable cause) {
        super(message, cause);
    }
}
