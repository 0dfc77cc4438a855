package io.postrider.destination;

/** A source does not answer. */
public final class SourceException extends RuntimeException {
    private static final long serialVersionUID = 1;

    public SourceException(String message, Throwable cause) {
        super(message, cause);
    }
}
