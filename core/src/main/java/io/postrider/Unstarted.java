package io.postrider;

import io.postrider.text.Logs;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;

/**
 * Subscriptions and consumers that were described and not started yet. A forgotten {@code start()} compiles, runs and
 * delivers nothing, so each is told once: after a while, or when the node stops. Thread-safe.
 */
final class Unstarted {
    private static final Logger LOG = Logs.of(Unstarted.class);
    /** Longer than anybody takes to describe one. */
    static final Duration PATIENCE = Duration.ofMinutes(1);

    private final Environment environment;
    private final Set<Described> waiting = ConcurrentHashMap.newKeySet();
    private volatile boolean over;

    Unstarted(Environment environment) {
        this.environment = environment;
    }

    Described describe(String what) {
        Described described = new Described(what);
        if (!over) { // a node that was closed refuses the start, and has no timers any more
            waiting.add(described);
            described.timer = environment.schedule(PATIENCE, described::tell);
        }
        return described;
    }

    /** The node stops. */
    void tellAll() {
        over = true;
        List.copyOf(waiting).forEach(Described::tell);
    }

    /** One of them. */
    final class Described {
        private final String what;
        private volatile Environment.Timer timer = () -> {};

        private Described(String what) {
            this.what = what;
        }

        void started() {
            if (waiting.remove(this)) {
                timer.cancel();
            }
        }

        private void tell() {
            if (waiting.remove(this)) {
                timer.cancel();
                LOG.warn("The {} was described and never started, so it gets no events: call start()", what);
            }
        }
    }
}
