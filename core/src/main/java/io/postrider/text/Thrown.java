package io.postrider.text;

import org.jspecify.annotations.Nullable;

/**
 * An exception of the host, asked for its words and its stack where it was thrown, and once: what its own methods say
 * may change, or fail, on another thread or later. Whatever is decided or kept of a failure is from here; the exception
 * itself is only for loggers and observers. Immutable.
 */
public final class Thrown {
    private final Throwable exception;
    private final String words;
    private final String stack;
    private final String place;

    private Thrown(Throwable exception) {
        this.exception = exception;
        this.words = Failure.words(exception);
        this.stack = Failure.stack(exception);
        StackTraceElement[] frames = exception.getStackTrace();
        this.place = exception.getClass().getName() + " " + (frames.length == 0 ? "" : frames[0]);
    }

    /** The exception, or one that tells its class where its own methods fail. */
    public static Thrown of(Throwable exception) {
        Throwable told = Failure.tellable(exception);
        try {
            return new Thrown(told);
        } catch (Throwable e) {
            return new Thrown(Failure.untellable(exception, e));
        }
    }

    static @Nullable Throwable exception(@Nullable Thrown thrown) {
        return thrown == null ? null : thrown.exception;
    }

    /** For loggers and observers, which have to expect that its methods fail. */
    public Throwable exception() {
        return exception;
    }

    /** The exception in one line, with the causes that say something else. */
    public String words() {
        return words;
    }

    /** The exception and its causes with where they were thrown, bounded. */
    public String stack() {
        return stack;
    }

    /** Its class and where it was thrown: failures of one kind have the same. */
    public String place() {
        return place;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Thrown thrown && thrown.exception == exception;
    }

    @Override
    public int hashCode() {
        return System.identityHashCode(exception);
    }

    @Override
    public String toString() {
        return words;
    }
}
