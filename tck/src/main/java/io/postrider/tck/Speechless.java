package io.postrider.tck;

/** An exception that cannot tell of itself, as a careless one. */
public final class Speechless extends RuntimeException {
    private static final long serialVersionUID = 1L;

    @Override
    public String toString() {
        throw this;
    }
}
