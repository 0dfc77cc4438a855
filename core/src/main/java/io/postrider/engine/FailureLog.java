package io.postrider.engine;

import io.postrider.Printable;
import io.postrider.spi.Delivery;
import io.postrider.spi.Environment;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The lines that everyone gets about failing events, without any observer: a warning at the first failure of an event
 * and at its burial. Later attempts in between are told at DEBUG.
 *
 * <p>A stack comes with the first line of its kind; lines of the same kind within {@link #STACK_AGAIN} leave it out.
 * Silent where an observer writes such lines itself. Thread-safe.
 */
final class FailureLog {
    /** To be configured by this name; the same as that of the structured lines. */
    static final String LOGGER = "io.postrider.events";

    private static final Logger LOG = LoggerFactory.getLogger(LOGGER);
    private static final Duration STACK_AGAIN = Duration.ofMinutes(1);
    private static final int KINDS_MAX = 200;
    private static final int ERROR_MAX = 2_000;

    private final SubscriptionSpec spec;
    private final Environment environment;
    private final boolean silent;
    /** When the stack of a kind of failure was written last, oldest first. */
    private final Map<String, Long> written = new LinkedHashMap<>();

    FailureLog(SubscriptionSpec spec, Environment environment, boolean silent) {
        this.spec = spec;
        this.environment = environment;
        this.silent = silent;
    }

    /** Tells what failed in a batch, once that is settled. */
    void settled(Verdicts verdicts) {
        if (!silent) {
            verdicts.failed().forEach(this::tell);
        }
    }

    private void tell(Verdicts.Failed failed) {
        Delivery row = failed.row();
        if (row.status() == Delivery.Status.DEAD) {
            LOG.warn(
                    "outbox_event_dead_lettered: subscription '{}' gives up {} after attempt {}; the event waits for an"
                            + " operator to replay or discard it: {}",
                    spec.name(),
                    event(row),
                    row.attempt(),
                    error(row),
                    stackOnce(row, failed.cause()));
        } else if (failed.first()) {
            LOG.warn(
                    "outbox_publish_failed: subscription '{}' failed on {}, attempt {} of {}, next try at {}: {}",
                    spec.name(),
                    event(row),
                    row.attempt(),
                    spec.retryFor(row.type()).attempts(),
                    row.dueAt(),
                    error(row),
                    stackOnce(row, failed.cause()));
        } else {
            LOG.debug(
                    "outbox_publish_failed: subscription '{}' failed again on {}, attempt {}, next try at {}: {}",
                    spec.name(),
                    event(row),
                    row.attempt(),
                    row.dueAt(),
                    error(row));
        }
    }

    private static String event(Delivery row) {
        String key = row.key() == null ? "" : ", key '" + Printable.name(row.key()) + "'";
        return Printable.name(row.type()) + " (event " + row.id() + key + ")";
    }

    /** On one line; the exception's own lines come with its stack. */
    private static String error(Delivery row) {
        return Printable.of(row.error(), ERROR_MAX);
    }

    /** The exception, for the logger to print, unless one of its kind was printed a moment ago. */
    private synchronized @Nullable Throwable stackOnce(Delivery row, @Nullable Throwable cause) {
        if (cause == null) {
            return null;
        }
        String kind = kind(row, cause);
        long now = environment.nanos();
        Long last = written.get(kind);
        if (last != null && now - last < STACK_AGAIN.toNanos()) {
            return null;
        }
        written.remove(kind); // so that it moves to the end
        written.put(kind, now);
        if (written.size() > KINDS_MAX) {
            written.remove(written.keySet().iterator().next());
        }
        return cause;
    }

    /** Where it was thrown, not its message, which often has an id in it. */
    private static String kind(Delivery row, Throwable cause) {
        StackTraceElement[] frames = cause.getStackTrace();
        return row.status() + " " + row.type() + " " + cause.getClass().getName() + " "
                + (frames.length == 0 ? "" : frames[0]);
    }
}
