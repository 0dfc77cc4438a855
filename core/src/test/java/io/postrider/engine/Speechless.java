package io.postrider.engine;

/** An exception that cannot be told: it throws itself when it is asked. */
final class Speechless extends RuntimeException {
    private static final long serialVersionUID = 1L;

    @Override
    public String toString() {
        throw this;
    }

    @Override
    public String getMessage() {
        throw this;
    }

    @Override
    @SuppressWarnings("NullAway")
    public StackTraceElement[] getStackTrace() {
        return null;
    }
}
