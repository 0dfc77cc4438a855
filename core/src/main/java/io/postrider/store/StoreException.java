package io.postrider.store;

/** A store did not answer, or not as expected. The engine waits and tries again; what was in flight is unknown. */
public sealed class StoreException extends RuntimeException permits ConflictException {
    private static final long serialVersionUID = 1L;

    public StoreException(String message, Throwable cause) {
        super(message, cause);
    }

    public StoreException(String message) {
        super(message);
    }
}
