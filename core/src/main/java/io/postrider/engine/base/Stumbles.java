package io.postrider.engine.base;

import io.postrider.Environment;
import io.postrider.text.Failure;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.slf4j.Logger;

/**
 * Failures that nobody expects, an {@link Error} too. The first of a kind is told with its stack; while it goes on, a
 * line a minute without one, and all of them where DEBUG is logged. Of a kind are failures of one place, of one class,
 * and thrown by one method. Thread-safe.
 */
public final class Stumbles {
    private static final Duration AGAIN = Duration.ofMinutes(1);
    /** A failure that was not seen for so long begins anew, with its stack. */
    private static final Duration OVER = Duration.ofMinutes(10);

    private static final int KINDS_MAX = 50;
    /** Causes may form a ring. */
    private static final int CAUSES_MAX = 20;

    private final Logger log;
    private final Environment environment;
    private final Map<String, Kind> kinds = new LinkedHashMap<>();

    private record Kind(long seenNanos, long toldNanos, long untold) {}

    public Stumbles(Logger log, Environment environment) {
        this.log = log;
        this.environment = environment;
    }

    /** @param place what has failed; of one place each kind of failure is told for itself */
    public void tell(String place, Throwable failure) {
        tell(place, place, failure);
    }

    /** The same with a sentence that is not the same each time. */
    public synchronized void tell(String place, String sentence, Throwable thrown) {
        Throwable failure = Failure.tellable(thrown);
        String name = place + " " + thrown.getClass().getName() + " " + method(failure);
        long now = environment.nanos();
        Kind before = kinds.remove(name);
        Kind after = new Kind(now, now, 0);
        if (before == null || now - before.seenNanos() >= OVER.toNanos()) {
            log.error("{}{}", sentence, hint(failure), failure);
        } else if (now - before.toldNanos() >= AGAIN.toNanos()) {
            log.error(
                    "{}{}. {} times since it was told last: {}",
                    sentence,
                    hint(failure),
                    before.untold() + 1,
                    failure.toString());
        } else {
            log.debug("{}", sentence, failure);
            after = new Kind(now, before.toldNanos(), before.untold() + 1);
        }
        kinds.put(name, after);
        if (kinds.size() > KINDS_MAX) {
            kinds.remove(kinds.keySet().iterator().next());
        }
    }

    /** No line of it: a stack that overflows ends at any. */
    private static String method(Throwable failure) {
        StackTraceElement[] stack = failure.getStackTrace();
        return stack.length == 0 ? "" : stack[0].getClassName() + "." + stack[0].getMethodName();
    }

    private static String hint(Throwable failure) {
        Throwable cause = failure;
        for (int depth = 0; cause != null && depth < CAUSES_MAX; depth++) {
            if (cause instanceof LinkageError && !(cause instanceof ExceptionInInitializerError)) {
                return ". A library is missing on the class path, or has another version than expected";
            }
            cause = cause.getCause();
        }
        return "";
    }
}
