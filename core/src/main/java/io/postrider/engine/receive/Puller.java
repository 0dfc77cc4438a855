package io.postrider.engine.receive;

import io.postrider.Environment;
import io.postrider.ReceiveOptions;
import io.postrider.destination.Source;
import io.postrider.engine.base.MissingThreads;
import io.postrider.engine.base.Observers;
import io.postrider.engine.base.Pauses;
import io.postrider.observe.Observation;
import io.postrider.text.Failure;
import io.postrider.text.Logs;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Takes messages from a source, on one thread at a time, while there is room for them. A source that gives nothing is
 * asked again after a pause; that is said once, and once when it gives again. Thread-safe.
 */
final class Puller {
    private static final Logger LOG = Logs.of(Puller.class);

    private final Source source;
    private final ReceiveOptions options;
    private final Environment environment;
    private final Observers observers;
    private final IntSupplier room;
    private final Consumer<List<Source.Arrival>> taken;
    private final Pauses pauses;
    private final MissingThreads threads;
    private Runnable whenStopped = () -> {};
    private Environment.@Nullable Timer pause;
    private boolean pulling;
    private boolean stopped;
    private volatile @Nullable String down;
    private long downSince;

    /**
     * @param room how many more messages may be taken
     * @param taken is given them, on the thread that pulls
     */
    Puller(
            Source source,
            ReceiveOptions options,
            Environment environment,
            Observers observers,
            IntSupplier room,
            Consumer<List<Source.Arrival>> taken) {
        this.source = source;
        this.options = options;
        this.environment = environment;
        this.observers = observers;
        this.room = room;
        this.taken = taken;
        this.pauses = new Pauses(options.backoff(), options.backoffMax());
        this.threads = new MissingThreads("source '" + source.name() + "'");
    }

    /** There is room, or may be. */
    synchronized void pull() {
        if (!pulling && !stopped) {
            pulling = true;
            begin();
        }
    }

    private void begin() {
        try {
            environment.handlers().execute(this::run);
        } catch (Throwable e) {
            threads.missing(e);
            pause = environment.schedule(pauses.next(), this::pauseIsOver);
        }
    }

    /** No pull begins any more; told when none is under way, at once if so. */
    void stop(Runnable whenStopped) {
        synchronized (this) {
            stopped = true;
            if (pulling && pause == null) {
                this.whenStopped = whenStopped;
                return;
            }
            if (pause != null) {
                pause.cancel();
                pause = null;
            }
        }
        whenStopped.run();
    }

    /** Takes no lock, because whoever asks may hold the one that says how much room there is. */
    @Nullable
    String down() {
        return down;
    }

    private void run() {
        threads.found();
        while (goesOn()) {
            try {
                List<Source.Arrival> arrivals =
                        source.pull(Math.min(options.most(), room.getAsInt()), options.pullWait());
                up();
                if (!arrivals.isEmpty()) {
                    taken.accept(arrivals);
                }
            } catch (InterruptedException e) {
                Thread.interrupted(); // nobody asks this thread to end: a stop says so otherwise
            } catch (Throwable e) {
                down(Failure.tellable(e));
                pullLater();
                return;
            }
        }
    }

    /** After a pause, unless it is stopped meanwhile. */
    private void pullLater() {
        synchronized (this) {
            if (!stopped) {
                pause = environment.schedule(pauses.next(), this::pauseIsOver);
                return;
            }
        }
        goesOn();
    }

    private synchronized void pauseIsOver() {
        if (pause != null) {
            pause = null;
            begin();
        }
    }

    /** Whether to pull once more; if not, it has ended until {@link #pull} is called. */
    private boolean goesOn() {
        Runnable told;
        synchronized (this) {
            if (!stopped && room.getAsInt() > 0) {
                return true;
            }
            pulling = false;
            told = stopped ? whenStopped : () -> {};
        }
        told.run();
        return false;
    }

    private void down(Throwable failure) {
        String why = Failure.message(failure);
        boolean first;
        synchronized (this) {
            if (why.equals(down)) {
                return;
            }
            first = down == null;
            down = why;
            downSince = first ? environment.nanos() : downSince;
        }
        LOG.debug("What source '{}' failed with", source.name(), failure);
        if (first) {
            LOG.warn("Source '{}' gives nothing; messages wait there until it does: {}", source.name(), why);
            observers.observe(new Observation.SourceDown(source.name(), why));
        }
    }

    private void up() {
        Duration lasted;
        synchronized (this) {
            if (down == null) {
                return;
            }
            down = null;
            lasted = Duration.ofNanos(environment.nanos() - downSince);
        }
        pauses.reset();
        LOG.info("Source '{}' gives messages again after {} ms", source.name(), lasted.toMillis());
        observers.observe(new Observation.SourceUp(source.name(), lasted));
    }
}
