package io.postrider.engine.receive;

import io.postrider.Environment;
import io.postrider.ReceiveOptions;
import io.postrider.destination.Source;
import io.postrider.destination.SourceException;
import io.postrider.engine.base.Pauses;
import io.postrider.text.Failure;
import io.postrider.wire.Incoming;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A message that a consumer has taken and not answered yet. Thread-safe. */
final class MessageInHand {
    final Source.Arrival arrival;
    final PullPlace place;
    /** The message, or null if it could not be read. */
    final @Nullable Incoming message;

    final @Nullable RuntimeException failure;
    /** Messages with the same are handled one after the other. */
    final Object key;

    final Pauses pauses;
    private final Environment environment;
    private @Nullable Thread worker;
    private long startedNanos;
    private boolean interrupted;

    MessageInHand(
            Source.Arrival arrival, PullPlace place, String source, ReceiveOptions options, Environment environment) {
        this.arrival = arrival;
        this.place = place;
        this.pauses = new Pauses(options.backoff(), options.backoffMax());
        this.environment = environment;
        Incoming decoded = null;
        RuntimeException undecoded = null;
        try {
            decoded = arrival.incoming();
        } catch (RuntimeException e) {
            undecoded = e;
        } catch (Throwable e) { // memory or a class is missing, which is not the message's doing
            Throwable told = Failure.tellable(e);
            undecoded = new SourceException("a message of '" + source + "' could not be decoded: " + told, told);
        }
        this.message = decoded;
        this.failure = undecoded;
        String own = decoded == null ? null : decoded.event().key();
        this.key = own != null ? own : this;
    }

    /** The calling thread begins to handle it. */
    synchronized void begin() {
        worker = Thread.currentThread();
        startedNanos = environment.nanos();
    }

    /** The thread goes on with another: an interrupt that was meant for this message is not for the next. */
    synchronized void end() {
        worker = null;
        Thread.interrupted();
    }

    /**
     * Tells the source that it is being worked on. A handler that takes longer than this is interrupted once, and its
     * message comes again when its source says so.
     */
    synchronized void working(Duration handlerTimeout) {
        if (interrupted) {
            return;
        }
        arrival.working();
        if (worker != null && environment.nanos() - startedNanos > handlerTimeout.toNanos()) {
            interrupted = true;
            worker.interrupt();
        }
    }
}
