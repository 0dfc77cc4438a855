package io.postrider.embedded;

/** PostgreSQL could not be unpacked, started or stopped; the message says what to do about it. */
public final class EmbeddedPostgresException extends RuntimeException {

    EmbeddedPostgresException(String message) {
        super(message);
    }

    EmbeddedPostgresException(String message, Throwable cause) {
        super(message, cause);
    }
}
