package io.postrider.text;

import java.sql.BatchUpdateException;
import java.sql.SQLException;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Objects;
import java.util.Set;

/** An exception as text that is kept and shown: bounded, and without the frames of the engine itself. */
public final class Failure {
    /** The most characters that are kept of a stack. */
    public static final int STACK_MAX = 4_000;

    private static final int CAUSES_MAX = 10;
    /** Causes and suppressed exceptions of one that are tried before it is told. */
    private static final int TOLD_MAX = 50;

    private static final int FRAMES_MAX = 40;
    private static final String ENGINE = "io.postrider.engine.";

    private Failure() {}

    /**
     * The exception itself, or one that tells its class where the exception's own methods fail: a mocked one has no
     * stack, and a careless {@code getMessage} throws. Loggers and whatever keeps it take it from here on.
     */
    public static Throwable tellable(Throwable failure) {
        try {
            words(failure);
            requireTellable(failure, Collections.newSetFromMap(new IdentityHashMap<>()));
            return failure;
        } catch (Throwable e) {
            return untellable(failure, e);
        }
    }

    /** Stands for an exception whose own methods fail with another. */
    static Throwable untellable(Throwable failure, Throwable with) {
        return new Untellable(failure.getClass().getName() + " (it cannot tell more: its own methods fail with "
                + with.getClass().getName() + ")");
    }

    /** Its message, or its class where it has none; never a failure of its own. */
    public static String message(Throwable failure) {
        try {
            String message = failure.getMessage();
            return message != null ? message : Objects.requireNonNull(failure.toString());
        } catch (Throwable e) {
            return String.valueOf(untellable(failure, e).getMessage());
        }
    }

    @SuppressWarnings("ReturnValueIgnored") // that they answer is enough
    private static void requireTellable(Throwable failure, Set<Throwable> seen) {
        if (seen.size() >= TOLD_MAX || !seen.add(failure)) {
            return;
        }
        Objects.requireNonNull(failure.toString());
        failure.getMessage();
        failure.getLocalizedMessage();
        for (StackTraceElement frame : failure.getStackTrace()) {
            Objects.requireNonNull(frame);
        }
        for (Throwable suppressed : failure.getSuppressed()) {
            requireTellable(suppressed, seen);
        }
        Throwable cause = failure.getCause();
        if (cause != null) {
            requireTellable(cause, seen);
        }
    }

    /** Stands for an exception that cannot be told. */
    private static final class Untellable extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Untellable(String message) {
            super(message, null, false, false);
        }

        @Override
        public String toString() {
            return String.valueOf(getMessage());
        }
    }

    /** The exception in one line, with the causes that say something else. */
    public static String words(Throwable failure) {
        StringBuilder words = new StringBuilder(told(failure));
        Set<Throwable> seen = Collections.newSetFromMap(new IdentityHashMap<>());
        seen.add(failure);
        for (Throwable cause = failure.getCause();
                cause != null && seen.size() <= CAUSES_MAX && seen.add(cause);
                cause = cause.getCause()) {
            String said = firstLine(told(cause));
            if (words.indexOf(said) < 0 && !isSaid(words, cause)) {
                words.append("; caused by ").append(said);
            }
        }
        return words.toString();
    }

    /**
     * The exception's class and message, without rows of a database. Beside its first line a {@link SQLException} shows
     * the row that a constraint refuses, and that of a batch shows the statement with its values; an exception around
     * it may have taken the message over.
     */
    private static String told(Throwable failure) {
        String text = failure.toString();
        Throwable each = failure;
        for (int depth = 0; each != null && depth <= CAUSES_MAX; depth++) {
            String message = each instanceof SQLException ? each.getMessage() : null;
            if (message != null && !message.isEmpty() && each instanceof BatchUpdateException) {
                text = text.replace(message, "a batch was refused" + reason(each));
            } else if (message != null && message.indexOf('\n') >= 0) {
                text = text.replace(message.substring(message.indexOf('\n')), "");
            }
            each = each.getCause();
        }
        return text;
    }

    private static String reason(Throwable batch) {
        Throwable cause = batch.getCause();
        return cause == null || cause.getMessage() == null ? "" : ": " + firstLine(cause.getMessage());
    }

    /** Whether an exception around it has taken its message over. */
    private static boolean isSaid(StringBuilder words, Throwable cause) {
        String message = cause.getMessage();
        return message != null && words.indexOf(firstLine(message)) >= 0;
    }

    private static String firstLine(String text) {
        int end = text.indexOf('\n');
        return end < 0 ? text : text.substring(0, end);
    }

    /** The exception and its causes with where they were thrown, down to where the engine called the handler. */
    public static String stack(Throwable failure) {
        StringBuilder text = new StringBuilder();
        Set<Throwable> seen = Collections.newSetFromMap(new IdentityHashMap<>());
        for (Throwable each = failure;
                each != null && seen.size() <= CAUSES_MAX && seen.add(each) && text.length() < STACK_MAX;
                each = each.getCause()) {
            text.append(seen.size() == 1 ? "" : "Caused by: ")
                    .append(told(each))
                    .append('\n');
            frames(text, each.getStackTrace());
        }
        return text.length() <= STACK_MAX ? text.toString() : text.substring(0, STACK_MAX - 1) + "…";
    }

    private static void frames(StringBuilder text, StackTraceElement[] frames) {
        for (int i = 0; i < frames.length; i++) {
            if (i == FRAMES_MAX || (i > 0 && frames[i].getClassName().startsWith(ENGINE))) {
                text.append("\t... ").append(frames.length - i).append(" more\n");
                return;
            }
            text.append("\tat ").append(frames[i]).append('\n');
        }
    }
}
