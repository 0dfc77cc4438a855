package io.postrider.engine.dispatch;

import io.postrider.Environment;
import io.postrider.operate.Delivery;
import io.postrider.text.Logs;
import io.postrider.text.Printable;
import io.postrider.text.Thrown;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * The lines that everyone gets about failing events, without any observer: a warning at the first failure of an event
 * and at its burial. Later attempts in between are told at DEBUG. Events that expire, of which there may be many at
 * once, share a warning a minute.
 *
 * <p>A stack comes with the first line of its kind; lines of the same kind within {@link #STACK_AGAIN} leave it out.
 * Silent where an observer writes such lines itself. Thread-safe.
 */
public final class FailureLog {
    /** To be configured by this name; the same as that of the structured lines. */
    static final String LOGGER = "io.postrider.events";

    private static final Logger LOG = Logs.of(LOGGER);
    private static final Duration STACK_AGAIN = Duration.ofMinutes(1);
    private static final Duration EXPIRY_AGAIN = Duration.ofMinutes(1);
    private static final int KINDS_MAX = 200;
    private static final int ERROR_MAX = 2_000;

    private final SubscriptionSpec spec;
    private final Environment environment;
    private final boolean silent;
    /** When the stack of a kind of failure was written last, oldest first. */
    private final Map<String, Long> written = new LinkedHashMap<>();

    /** The first that has expired since expiry was told last, and how many have. */
    private @Nullable Delivery firstExpired;

    private int expired;
    private long expirySilentUntil;

    public FailureLog(SubscriptionSpec spec, Environment environment, boolean silent) {
        this.spec = spec;
        this.environment = environment;
        this.silent = silent;
        this.expirySilentUntil = environment.nanos();
    }

    /** Tells what failed in a batch, once that is settled. */
    public void settled(Verdicts verdicts) {
        if (!silent) {
            verdicts.failed().forEach(this::tell);
            expired(verdicts.changed());
        }
    }

    /** Notes those of these rows that have expired, and tells of them unless that was done within the last minute. */
    public void expired(List<Delivery> rows) {
        List<Delivery> found = rows.stream()
                .filter(row -> row.status() == Delivery.Status.EXPIRED)
                .toList();
        if (!silent && !found.isEmpty()) {
            note(found);
            tellExpired();
        }
    }

    private synchronized void note(List<Delivery> found) {
        expired += found.size();
        firstExpired = firstExpired == null ? found.get(0) : firstExpired;
    }

    /** Tells what has expired since the last time, if that is a minute ago; called now and then. */
    public synchronized void tellExpired() {
        if (environment.nanos() - expirySilentUntil >= 0) {
            tellExpiredNow();
        }
    }

    /** The same at the end, however long ago the last time was. */
    public synchronized void tellExpiredNow() {
        Delivery first = firstExpired;
        if (first != null) {
            LOG.warn(
                    "outbox_event_expired: {} of subscription '{}' expired before {} delivered, first {}; expired"
                            + " events wait for an operator to replay or discard them",
                    expired == 1 ? "1 event" : expired + " events",
                    spec.name(),
                    expired == 1 ? "it was" : "they were",
                    event(first));
            expirySilentUntil = environment.nanos() + EXPIRY_AGAIN.toNanos();
            firstExpired = null;
            expired = 0;
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
                    stackOnce(row, failed.thrown()));
        } else if (failed.first()) {
            LOG.warn(
                    "outbox_publish_failed: subscription '{}' failed on {}, attempt {} of {}, next try due at {}: {}",
                    spec.name(),
                    event(row),
                    row.attempt(),
                    spec.retryFor(row.type()).attempts(),
                    row.dueAt(),
                    error(row),
                    stackOnce(row, failed.thrown()));
        } else {
            LOG.debug(
                    "outbox_publish_failed: subscription '{}' failed again on {}, attempt {}, next try due at {}: {}",
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
    private synchronized @Nullable Throwable stackOnce(Delivery row, @Nullable Thrown thrown) {
        if (thrown == null) {
            return null;
        }
        String kind = row.status() + " " + row.type() + " " + thrown.place();
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
        return thrown.exception();
    }
}
