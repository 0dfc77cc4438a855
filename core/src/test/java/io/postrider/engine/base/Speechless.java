package io.postrider.engine.base;

/** An exception that cannot be told: it throws itself when it is asked. */
public final class Speechless extends RuntimeException {
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
