package io.postrider.store;

/**
 * A store has answered, and refuses what it was given or cannot read what it has: the data of some event or row is at
 * fault. Nothing was written. The same call is refused again, so the engine looks for the event whose fault it is, and
 * sets that one aside. A {@link StoreException} is the opposite: nobody is at fault, and the same call may succeed.
 */
public final class RefusedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public RefusedException(String message, Throwable cause) {
        super(message, cause);
    }

    public RefusedException(String message) {
        super(message);
    }
}
