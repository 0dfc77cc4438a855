package io.postrider.observability;

import io.postrider.EventId;
import io.postrider.Headers;
import io.postrider.StoredEvent;
import io.postrider.destination.Destination;
import io.postrider.destination.Outcome;
import io.postrider.observe.Observation;
import io.postrider.observe.Observer;
import io.postrider.operate.Delivery;
import io.postrider.operate.Drop;
import io.postrider.text.Printable;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;
import org.slf4j.event.Level;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * Writes a structured line for what happens to each event, and puts the correlation id on the thread while its handler
 * runs, so that the handler's own lines have it too.
 *
 * <p>The message is a name, such as {@code outbox_publish_failed}; everything else is in key-value pairs. An event
 * without a correlation id begins a correlation: its own id is the one its effects inherit, so it is the one shown.
 *
 * <p>Lines go to the logger {@value #LOGGER}. Failures are warnings, deaths errors; the rest, one or more lines for
 * every event, is at the level of the factory method. Thread-safe.
 */
public final class LogLines implements Observer {
    /** To be configured by this name. */
    public static final String LOGGER = "io.postrider.events";

    /** The most characters of a value: an error may have that many, everything else has fewer. */
    private static final int TEXT_MAX = 4_000;

    private static final String CORRELATION_ID = Headers.CORRELATION_ID;

    private final Logger log = LoggerFactory.getLogger(LOGGER);
    private final Level routine;

    private LogLines(Level routine) {
        this.routine = routine;
    }

    /** Lines for appended and delivered events at {@code INFO}. */
    public static LogLines create() {
        return routineAt(Level.INFO);
    }

    /** Lines for appended and delivered events at this level. */
    public static LogLines routineAt(Level level) {
        return new LogLines(level);
    }

    @Override
    public boolean logsFailures() {
        return true;
    }

    @Override
    public void observe(Observation observation) {
        if (observation instanceof Observation.Appended appended) {
            appended.events().forEach(this::appended);
        } else if (observation instanceof Observation.Dispatched dispatched) {
            dispatched(dispatched);
        } else if (observation instanceof Observation.Settled settled) {
            settled.rows().forEach(row -> settled(settled, row));
        } else if (observation instanceof Observation.Dropped dropped) {
            dropped(dropped.drop());
        } else if (observation instanceof Observation.ExpiryThreatened threatened) {
            threatened(threatened);
        } else {
            destination(observation);
        }
    }

    private void destination(Observation observation) {
        if (observation instanceof Observation.DestinationDown down) {
            new Line(log.atLevel(Level.ERROR))
                    .and("destination", down.destination())
                    .and("error", down.why())
                    .write("destination_down");
        } else if (observation instanceof Observation.DestinationUp up) {
            new Line(log.atLevel(Level.WARN))
                    .and("destination", up.destination())
                    .and("afterMs", up.after().toMillis())
                    .write("destination_up");
        } else if (observation instanceof Observation.Unsealed unsealed) {
            new Line(log.atLevel(Level.ERROR))
                    .and("subscription", unsealed.subscription())
                    .and("destination", unsealed.destination())
                    .and("stream", unsealed.stream())
                    .and("events", unsealed.events())
                    .write("destination_lost_events");
        } else {
            observeSource(observation);
        }
    }

    private void observeSource(Observation observation) {
        if (observation instanceof Observation.Received received && log.isEnabledForLevel(routine)) {
            new Line(log.atLevel(routine))
                    .and("source", received.source())
                    .and("stored", received.stored())
                    .and("repeated", received.repeated())
                    .write("inbox_messages_received");
        } else if (observation instanceof Observation.SetAside aside) {
            new Line(log.atLevel(Level.ERROR))
                    .and("source", aside.source())
                    .and("messageId", aside.messageId())
                    .and("error", aside.why())
                    .write("inbox_message_set_aside");
        } else if (observation instanceof Observation.SourceDown down) {
            new Line(log.atLevel(Level.WARN))
                    .and("source", down.source())
                    .and("error", down.why())
                    .write("inbox_source_down");
        } else if (observation instanceof Observation.SourceWentBack back) {
            new Line(log.atLevel(Level.WARN))
                    .and("source", back.source())
                    .and("error", back.why())
                    .write("inbox_source_went_back");
        } else if (observation instanceof Observation.SourceUp up) {
            new Line(log.atLevel(Level.INFO))
                    .and("source", up.source())
                    .and("afterMs", up.after().toMillis())
                    .write("inbox_source_up");
        }
    }

    private void dropped(Drop drop) {
        new Line(log.atLevel(Level.WARN))
                .and("subscription", drop.subscription())
                .and("reason", drop.reason().name().toLowerCase(Locale.ROOT))
                .and("events", drop.events())
                .and("from", drop.from().value())
                .and("to", drop.to().value())
                .and("oldest", drop.oldest())
                .and("newest", drop.newest())
                .write("outbox_events_dropped");
    }

    private void threatened(Observation.ExpiryThreatened threatened) {
        if (!threatened.shortBy().isZero()) {
            new Line(log.atLevel(Level.WARN))
                    .and("subscription", threatened.subscription())
                    .and("shortByMs", threatened.shortBy().toMillis())
                    .write("outbox_expiry_threatened");
        }
    }

    private void appended(Observation.Appended.Written written) {
        if (log.isEnabledForLevel(routine)) {
            Line line = Line.about(
                    log.atLevel(routine), written.id(), written.event().headers());
            line.of(written.event().type(), written.event().key()).write("outbox_event_enqueued");
        }
    }

    private void dispatched(Observation.Dispatched dispatched) {
        dispatched.outcome().match(new DispatchedLine(dispatched));
    }

    /** The line about a dispatch, for each outcome that has one. */
    private final class DispatchedLine implements Outcome.Cases<Boolean> {
        private final Observation.Dispatched dispatched;

        DispatchedLine(Observation.Dispatched dispatched) {
            this.dispatched = dispatched;
        }

        @Override
        public Boolean delivered(Outcome.Delivered outcome) {
            boolean told = log.isEnabledForLevel(routine);
            if (told) {
                line(routine, dispatched)
                        .and("tookMs", dispatched.took().toMillis())
                        .write("outbox_publish_succeeded");
            }
            return told;
        }

        @Override
        public Boolean retry(Outcome.Retry outcome) {
            if (outcome.counts()) {
                failed(dispatched, outcome.why());
            } else {
                line(Level.DEBUG, dispatched).and("error", outcome.why()).write("outbox_publish_postponed");
            }
            return true;
        }

        @Override
        public Boolean dead(Outcome.Dead outcome) {
            failed(dispatched, outcome.why());
            return true;
        }

        @Override
        public Boolean expired(Outcome.Expired outcome) {
            return false;
        }

        @Override
        public Boolean skipped(Outcome.Skipped outcome) {
            return false;
        }

        @Override
        public Boolean down(Outcome.Down outcome) {
            return false;
        }
    }

    /** The stack comes with the first attempt, and with the burial; what lies between differs by the attempt alone. */
    private void failed(Observation.Dispatched dispatched, String why) {
        Line line = line(Level.WARN, dispatched).and("error", why);
        (dispatched.attempt() == 1 ? line.because(dispatched.outcome().cause()) : line).write("outbox_publish_failed");
    }

    private Line line(Level level, Observation.Dispatched dispatched) {
        StoredEvent event = dispatched.event();
        return Line.about(log.atLevel(level), event.id(), event.headers())
                .of(event.type(), event.key())
                .and("subscription", dispatched.subscription())
                .and("attempt", dispatched.attempt());
    }

    private void settled(Observation.Settled settled, Delivery row) {
        if (row.status() == Delivery.Status.DEAD) {
            line(Level.ERROR, settled, row)
                    .and("error", row.error())
                    .because(settled.causes().get(row.id()))
                    .write("outbox_event_dead_lettered");
        } else if (row.status() == Delivery.Status.EXPIRED) {
            line(Level.WARN, settled, row).write("outbox_event_expired");
        }
    }

    private Line line(Level level, Observation.Settled settled, Delivery row) {
        return Line.about(log.atLevel(level), row.id(), settled.headers().get(row.id()))
                .of(row.type(), row.key())
                .and("subscription", settled.subscription())
                .and("attempt", row.attempt());
    }

    /** Of several events, only their handler knows which one a line is about. */
    @Override
    public Dispatching dispatching(List<Destination.Dispatch> dispatches) {
        if (dispatches.size() > 1) {
            return Dispatching.NONE;
        }
        StoredEvent event = dispatches.get(0).event();
        String before = MDC.get(CORRELATION_ID);
        MDC.put(CORRELATION_ID, correlationId(event.id(), event.headers()));
        return new Dispatching() {
            @Override
            public void left() {
                if (before == null) {
                    MDC.remove(CORRELATION_ID);
                } else {
                    MDC.put(CORRELATION_ID, before);
                }
            }
        };
    }

    private static String correlationId(EventId id, Headers headers) {
        return headers.get(CORRELATION_ID).orElseGet(id::toString);
    }

    /** A line on its way: pairs without a value are left out. */
    private record Line(LoggingEventBuilder builder) {
        /** Without headers the correlation is not known either. */
        static Line about(LoggingEventBuilder builder, EventId id, @Nullable Headers headers) {
            Line line = new Line(builder).and("eventId", id.toString());
            return headers == null
                    ? line
                    : line.and(CORRELATION_ID, correlationId(id, headers))
                            .and(
                                    Headers.CAUSATION_ID,
                                    headers.get(Headers.CAUSATION_ID).orElse(null));
        }

        Line of(String type, @Nullable String key) {
            return and("eventType", type).and("key", key);
        }

        Line and(String name, @Nullable Object value) {
            Object shown = value instanceof String text ? Printable.of(text, TEXT_MAX) : value;
            return shown == null ? this : new Line(builder.addKeyValue(name, shown));
        }

        Line because(@Nullable Throwable cause) {
            return cause == null ? this : new Line(builder.setCause(cause));
        }

        void write(String name) {
            builder.log(name);
        }
    }
}
