package io.postrider.observability;

import io.micrometer.core.instrument.MeterRegistry;
import io.postrider.destination.Destination;
import io.postrider.observe.Observation;
import io.postrider.observe.Observer;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Counts and times what nodes do, as Micrometer meters; {@code docs/reference/metrics.md} lists them. What only the
 * store knows, such as how much is pending, is in {@link Gauges}.
 *
 * <p>Names begin with {@code postrider} and have dots, as is usual in Micrometer: {@code postrider.settled} is scraped
 * by Prometheus as {@code postrider_settled_total}. Some have a second name without the prefix, such as
 * {@code outbox_done_total}, unless {@link #withoutAliases}. Every meter has the name of its log as a tag, so that one
 * instance serves the outbox and the inbox of a process. One instance per registry. Thread-safe.
 */
public final class Meters implements Observer {
    /** Event types that get a label value of their own, unless told otherwise; all others are {@code other}. */
    public static final int EVENT_TYPES_MAX = 200;

    private static final String OUTBOX = "outbox";

    private final MeterRegistry registry;
    private final int eventTypesMax;
    private final boolean aliases;
    private final Map<String, LogMeters> logs = new ConcurrentHashMap<>();

    private Meters(MeterRegistry registry, int eventTypesMax, boolean aliases) {
        this.registry = registry;
        this.eventTypesMax = eventTypesMax;
        this.aliases = aliases;
    }

    public static Meters on(MeterRegistry registry) {
        return on(registry, EVENT_TYPES_MAX);
    }

    /** With another limit of event types that get a label value of their own. */
    public static Meters on(MeterRegistry registry, int eventTypesMax) {
        return new Meters(registry, eventTypesMax, true);
    }

    /** Only the names that begin with {@code postrider}. */
    public Meters withoutAliases() {
        return new Meters(registry, eventTypesMax, false);
    }

    /** The meters of one log; a node asks for those of its own. */
    @Override
    public Observer forLog(String log) {
        return meters(log);
    }

    private LogMeters meters(String log) {
        return logs.computeIfAbsent(
                log,
                name -> new LogMeters(new LogRegistry(registry, name, aliases), eventTypesMax, InstantSource.system()));
    }

    /** Takes what it is told without a log for the outbox's. */
    @Override
    public void observe(Observation observation) {
        meters(OUTBOX).observe(observation);
    }

    @Override
    public Dispatching dispatching(List<Destination.Dispatch> dispatches) {
        return meters(OUTBOX).dispatching(dispatches);
    }
}
