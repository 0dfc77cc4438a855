package io.postrider.store;

/**
 * A transaction met another one that was faster, or that holds what it needs, and is undone. The store answers, nobody
 * is at fault, and the same may succeed when it is tried again.
 */
public final class ConflictException extends StoreException {
    private static final long serialVersionUID = 1L;

    public ConflictException(String message) {
        super(message);
    }

    public ConflictException(String message, Throwable cause) {
        super(message, cause);
    }
}
